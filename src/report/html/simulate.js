// Images, and register transfers on them. Nothing here knows an instruction: the record says what each does.
// An image has its rows from the north; each row is from the west.

/** An image whose pixels `value` computes. */
function image(width, height, value) {
  const pixels = new Float64Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels[y * width + x] = value(x, y);
  return { width, height, pixels };
}

/** A scene of 64×64 pixels from 0 to 127: a ramp, a disc, stripes and a slanted edge; moved to the east for later inputs. */
function scene(input) {
  return image(64, 64, (column, y) => {
    const x = column - 4 * input;
    if (Math.hypot(x - 18, y - 18) < 11) return 120;
    if (x >= 36 && x < 60 && y >= 6 && y < 28) return (x >> 2) % 2 ? 110 : 10;
    if (y >= 36 && 2 * x + y > 100) return 90 - (y >> 1);
    return 24 + (x >> 1);
  });
}

/** `values` seen from every pixel at an offset: 0 beyond the edge. */
function moved({ width, height, pixels }, [east, north, up]) {
  const inside = (x, y) => up === 0 && x >= 0 && x < width && y >= 0 && y < height;
  return image(width, height, (x, y) => (inside(x + east, y - north) ? pixels[(y - north) * width + x + east] : 0));
}

/** The registers after a transfer: a new map that shares what did not change. */
function transferred(registers, { writes, reads }, nothing) {
  const sum = image(nothing.width, nothing.height, () => 0);
  for (const { register, offset, coefficient } of reads) {
    const weight = number(coefficient);
    const seen = moved(registers.get(register) ?? nothing, offset).pixels;
    for (let i = 0; i < seen.length; i++) sum.pixels[i] += weight * seen[i];
  }
  const after = new Map(registers);
  for (const { register, offset } of writes) after.set(register, moved(sum, offset));
  return after;
}

/** The registers before the program, and after each of its lines. */
function simulate(trace, start) {
  const [first] = start.values();
  const nothing = image(first.width, first.height, () => 0);
  const states = [start];
  for (const { transfers } of trace) {
    const before = states[states.length - 1];
    states.push(transfers.reduce((registers, transfer) => transferred(registers, transfer, nothing), before));
  }
  return states;
}

/** The least and the greatest pixel. */
function extremes({ pixels }) {
  return pixels.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** An image as a picture, its least value black and its greatest white. */
function picture(shown) {
  const canvas = element("canvas", { width: shown.width, height: shown.height });
  const context = canvas.getContext("2d");
  const data = context.createImageData(shown.width, shown.height);
  const [low, high] = extremes(shown);
  shown.pixels.forEach((value, i) => {
    const grey = high > low ? 255 * (value - low) / (high - low) : 128;
    data.data.set([grey, grey, grey, 255], 4 * i);
  });
  context.putImageData(data, 0, 0);
  return canvas;
}

/** The largest side of a picture that is dropped; larger ones are scaled down. */
const LARGEST = 128;

/** A picture's brightness, from 0 to 127. */
async function brightness(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LARGEST / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale)));
  const context = element("canvas", { width, height }).getContext("2d");
  context.drawImage(bitmap, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  return image(width, height, (x, y) => {
    const [red, green, blue] = data.subarray(4 * (y * width + x));
    return Math.round((0.299 * red + 0.587 * green + 0.114 * blue) / 2);
  });
}
