// A check of a program: what was expected and what was found, the smallest image that shows it, the first wrong line.

const VERDICTS = {
  equal: "equal", "equal-up-to": "equal up to a translation, a sign or a scale", "equal-where": "equal in some elements only",
  different: "different", unknown: "not known", undecided: "not decided: a coefficient does not fit",
};

/** Kernels, with frames around the taps that differ. */
function compared(title, kernels, differs, several) {
  const figure = element("figure", {}, element("figcaption", {}, title));
  for (const kernel of kernels) {
    if (several) figure.append(element("p", { class: "small" }, `of ${kernel.input}`));
    // Where one of the two reads nothing, the other's tap is shown against a 0.
    const own = differs.filter(({ input }) => input === kernel.input);
    const missing = own.filter(({ offset }) => !kernel.taps.some((tap) => String(tap.offset) === String(offset)));
    figure.append(kernelPicture({ taps: [...kernel.taps, ...missing.map(({ offset }) => ({ offset, coefficient: "0" }))] },
      own.map(({ offset }) => offset)));
  }
  return figure;
}

/** Numbers of an image, with one pixel marked. */
function numbers(title, rows, pixel) {
  const cell = (value, x, y) =>
    element("td", pixel && pixel[0] === x && pixel[1] === y ? { class: "differs" } : {}, String(value).replace("-", "−"));
  return element("figure", {}, element("figcaption", {}, title), element("table", { class: "numbers" },
    ...rows.map((row, y) => element("tr", {}, ...row.map((value, x) => cell(value, x, y))))));
}

/** A value case by case, if it is not one kernel for each input. */
function comparedCases(title, kernels, cases, several) {
  const whole = { kernels: cases?.length === 0 ? kernels : null, cases };
  return element("figure", {}, element("figcaption", {}, title), ...casesDrawn(whole, several));
}

function outputSection(output, several, cased) {
  const differs = output.up_to ? [] : output.differs_at;
  const reason = output.condition ?? output.reason;
  const linear = !cased || [output.expected_cases, output.cases].every((cases) => cases?.length === 0);
  const figures = linear
    ? [compared("expected", output.expected, differs, several), compared("found", output.found, differs, several)]
    : [comparedCases("expected", output.expected, output.expected_cases, several),
      comparedCases("found", output.found, output.cases, several)];
  return [element("h2", {}, `${output.name} in ${output.register}: ${VERDICTS[output.verdict]}`),
    ...(reason ? [element("p", {}, reason)] : []), element("div", { class: "cards" }, ...figures)];
}

let view;

function show(main, { record, report, walk }) {
  // Programs for arrays come with their steps, and with the script that draws cases.
  const cased = walk !== undefined;
  const against = record.against ? `${record.file} against ${record.against}: ${VERDICTS[record.verdict]}` : record.file;
  heading(main, against, []);
  const several = record.inputs.length + record.uninitialised.length > 1;
  main.append(...record.outputs.flatMap((output) => outputSection(output, several, cased)));
  for (const { register, kernels, cases, reason } of record.registers) {
    if (cased) main.append(element("h2", {}, register), ...casesDrawn({ kernels, cases, reason }, several));
    else if (kernels) main.append(element("h2", {}, register), ...kernelPictures(kernels, several));
  }
  const example = record.counterexample;
  if (example) {
    const images = [[example.input, example.image], ...example.others.map(({ input, image }) => [input, image])];
    main.append(
      element("h2", {}, example.smallest ? "The smallest image that shows it" : "An image that shows it"),
      element("div", { class: "cards" }, ...images.map(([title, rows]) => numbers(title, rows)),
        numbers(`expected of ${example.output}`, example.expected, example.pixel),
        numbers(`found of ${example.output}`, example.found, example.pixel)));
  }
  if (walk) {
    view = new CheckedSteps(record, walk);
    main.append(...view.parts);
    // Now that it is there, its line can be scrolled to.
    view.time.go(view.time.now);
  }
  main.append(element("h2", {}, "Report"), element("pre", {}, report));
}
