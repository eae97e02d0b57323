// Kernels as pictures: blue for positive, red for negative coefficients, with a frame around the pixel itself.

/** A coefficient such as `-3/4` as a number. */
function number(coefficient) {
  const [numerator, denominator = "1"] = coefficient.split("/");
  return Number(numerator) / Number(denominator);
}

/** The picture of a kernel, with frames around the offsets in `differs`; a list if it has an extent in z. */
function kernelPicture({ taps }, differs = []) {
  if (taps.some((tap) => tap.offset[2] !== 0)) {
    return element("pre", {}, taps.map((tap) => `${tap.coefficient} at ${tap.offset}`).join("\n"));
  }
  const range = (axis) => taps.reduce(
    ([low, high], tap) => [Math.min(low, tap.offset[axis]), Math.max(high, tap.offset[axis])], [0, 0]);
  const [[west, east], [south, north]] = [range(0), range(1)];
  const widest = Math.max(...taps.map((tap) => tap.coefficient.length), 1);
  const wanted = Math.max(18, 6.5 * widest + 4);
  const side = Math.min(wanted, 240 / Math.max(east - west + 1, north - south + 1));
  const largest = Math.max(...taps.map((tap) => Math.abs(number(tap.coefficient))), 0) || 1;
  const [width, height] = [(east - west + 1) * side + 2, (north - south + 1) * side + 2];
  const svg = shape("svg", { class: "kernel", width, height, viewBox: `-1 -1 ${width} ${height}`, role: "img" });
  const square = (x, y, attributes) =>
    shape("rect", { x: (x - west) * side, y: (north - y) * side, width: side, height: side, ...attributes });
  for (const { offset: [x, y], coefficient } of taps) {
    const value = number(coefficient);
    const pale = 245 - 165 * Math.abs(value) / largest;
    const fill = value === 0 ? "#e6e6e6" : value < 0 ? `rgb(255,${pale},${pale})` : `rgb(${pale},${pale},255)`;
    svg.append(square(x, y, { fill, stroke: "#bbb", "stroke-width": 0.5 }));
    const text = { x: (x - west + 0.5) * side, y: (north - y + 0.5) * side, fill: "#111" };
    if (side === wanted) svg.append(shape("text", text, coefficient.replace("-", "−")));
  }
  svg.append(square(0, 0, { fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
  for (const [x, y] of differs) svg.append(square(x, y, { class: "differs" }));
  return svg;
}

/** The kernels of a value over the inputs. */
function kernelPictures(kernels, several) {
  if (kernels.length === 0) return [element("p", { class: "small" }, "0")];
  return kernels.flatMap((kernel) => [
    ...(several ? [element("p", { class: "small" }, `of ${kernel.input}`)] : []), kernelPicture(kernel)]);
}
