// A whole program that was shortened: what was changed, and the new and the given program step by step.

/** How many lines are shown before and after a change. */
const AROUND = 3;

/** The lines that go and come, with some around them. */
function changesTable(changes) {
  const near = (index) => changes.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ sign }) => sign !== " ");
  const kinds = { "-": "goes", "+": "comes", " ": "stays" };
  const rows = changes.flatMap(({ sign, instruction, line, cycles }, index) => {
    if (!near(index)) return near(index - 1) || index === 0 ? [element("tr", {}, element("td", { colspan: "4" }, "…"))] : [];
    const cells = [line === null ? "" : String(line), sign.replace("-", "−"), element("code", {}, instruction), String(cycles)];
    return [element("tr", { class: kinds[sign] }, ...cells.map((cell) => element("td", {}, cell)))];
  });
  return element("table", { class: "changes" },
    element("tr", {}, ...["line", "", "instruction", "cycles"].map((title) => element("th", {}, title))), ...rows);
}

let view;

function show(main, { record, facts, new: shorter, given }) {
  heading(main, record.file, facts);
  const changed = record.changes.some(({ sign }) => sign !== " ");
  main.append(element("h2", {}, changed ? `Changes: ${record.cycles_before} cycles, now ${record.cycles}` : "Nothing was changed"));
  if (changed) main.append(changesTable(record.changes));
  const ends = new Map(record.named ? record.kept.map((register) => [register, "kept"]) : []);
  const place = element("div");
  const step = (walk) => () => {
    const now = view?.images;
    view = new GuardedSteps(walk, ends);
    // Both programs have the same inputs.
    if (now) view.images = now;
    place.replaceChildren(...view.parts);
    view.run();
  };
  // If nothing was changed, the given program has the lines of its file.
  const programs = [["the new program", shorter], ["the given program", given]];
  const choices = (changed ? programs : programs.slice(1)).filter(([, walk]) => walk);
  if (choices.length > 1) main.append(buttons(choices.map(([text, walk]) => [text, step(walk)]), 0));
  main.append(place);
  if (choices.length) step(choices[0][1])();
  else place.append(element("p", {}, "The program cannot be followed step by step."));
}
