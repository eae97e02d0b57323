// Stages of a pipeline or of a plan: what each reads, and the width, the interval and the rate of its values.

/** The largest window that is drawn pixel by pixel, in pixels of a side. */
const DRAWN = 33;

/** A window as a picture: the pixels that are read, with a frame around the pixel itself. */
function windowPicture({ of, columns: [west, east], rows: [south, north], ratio }) {
  const scale = ratio.some((along) => along !== "1") ? `, ${ratio.join("×")} of its pixels for one` : "";
  const caption = element("figcaption", {},
    `${of}: columns ${west} to ${east}, rows ${south} to ${north}${scale}`.replaceAll("-", "−"));
  const figure = element("figure", {}, caption);
  if (Math.max(east - west, north - south) < DRAWN) {
    const taps = [];
    for (let y = south; y <= north; y++) for (let x = west; x <= east; x++) taps.push({ offset: [x, y, 0], coefficient: "1" });
    const drawn = kernelPicture({ taps });
    drawn.querySelectorAll("text").forEach((text) => text.remove());
    figure.append(drawn);
  }
  return figure;
}

class StagesPage {
  constructor(main, { name, report, stages }) {
    this.stages = stages;
    heading(main, name, []);
    this.time = new Time(stages.length - 1, (now) => `${stages[now].kind} ${stages[now].name}`, () => this.draw());
    this.list = lines(stages.map((stage) => [stage.name, stage.equation ?? this.sources(stage), stage.type]), this.time);
    this.detail = element("section");
    main.append(this.time.holder, element("div", { class: "columns" },
      element("section", {}, element("h2", {}, "Stages"), this.list), this.detail),
    element("h2", {}, "Report"), element("pre", {}, report));
    this.time.go(stages.length - 1);
  }

  /** What a stage reads, in words. */
  sources({ kind, reads }) {
    return kind === "input" ? "input" : `from ${[...new Set(reads.map(({ of }) => of))].join(", ") || "nothing"}`;
  }

  draw() {
    const { now } = this.time;
    mark(this.list, now);
    const stage = this.stages[now];
    const interval = stage.least === null ? "–" : `${stage.least} to ${stage.greatest}`.replaceAll("-", "−");
    const facts = [["", ""], ["kind", stage.kind], ["type", stage.type],
      ["bits that it needs", stage.bits === null ? "–" : String(stage.bits)], ["interval", interval],
      ["rate", stage.rate === null ? "constant" : stage.rate.join(" × ")]];
    if (stage.planes !== null) facts.push(["planes", String(stage.planes)]);
    const itself = stage.reads.some(({ of }) => of === stage.name);
    const windows = (title, of, none) => [element("h2", {}, title),
      element("div", { class: "cards" }, ...(of.length ? of.map(windowPicture) : [element("p", { class: "small" }, none)]))];
    this.detail.replaceChildren(
      element("h2", {}, stage.name), table(facts),
      ...windows("Reads", stage.reads, "nothing"),
      ...windows("Window on the inputs", stage.window, itself || stage.reads.length ? "every pixel before" : "itself"));
  }
}

function show(main, data) {
  new StagesPage(main, data);
}
