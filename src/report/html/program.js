// A program for a processor array: its lines, the registers after each, and how its values depend on one another.

class ProgramPage {
  constructor(main, { record, facts, equations, graph }) {
    Object.assign(this, { record, equations });
    this.images = record.inputs.map((_, input) => scene(input));
    heading(main, record.filter, facts);
    const last = record.program.length;
    this.time = new Time(last, (now) => (now === 0 ? "at the start" : `after ${now} of ${last}`), () => this.draw());
    this.list = lines([["", "at the start", ""], ...record.program.map((line, index) => this.row(line, index))], this.time);
    this.cards = element("div", { class: "cards" });
    this.graph = drawing(graph);
    this.choice = this.chooser();
    main.append(
      this.time.holder,
      element("div", { class: "columns" },
        element("section", {}, element("h2", {}, "Program"), this.list, this.choice),
        element("section", {}, element("h2", {}, "Registers"), this.cards)),
      element("h2", {}, "Values"),
      this.graph);
    for (const box of this.graph.querySelectorAll("[data-line]")) {
      box.addEventListener("mouseenter", () => this.time.go(Number(box.dataset.line) + 1));
    }
    this.run();
  }

  /** A line with its number and what it computes. */
  row(line, index) {
    const steps = this.record.trace[index].values.flatMap(({ step }) => (step === null ? [] : [this.equations[step]]));
    return [String(index + 1), line, steps.join("; ")];
  }

  /** Where a picture is dropped or chosen. */
  chooser() {
    const choose = element("input", { type: "file", accept: "image/*", change: () => this.take(choose.files[0], 0) });
    return element("p", { class: "control small" },
      element("label", {}, "Drop a picture on an input, or choose one for the first: ", choose));
  }

  /** Simulates the program and shows its end. */
  run() {
    const start = new Map(this.record.inputs.map(({ register }, input) => [register, this.images[input]]));
    this.states = simulate(this.record.trace, start);
    this.time.go(this.time.now ?? this.record.program.length);
  }

  async take(file, input) {
    if (!file) return;
    try {
      const taken = await brightness(file);
      // All inputs have one size.
      this.images = this.images.map((old, index) => (index === input ? taken : image(taken.width, taken.height,
        (x, y) => (x < old.width && y < old.height ? old.pixels[y * old.width + x] : 0))));
      this.run();
    } catch {
      this.choice.append(element("span", { class: "bad" }, ` ${file.name} is no picture that the browser can show.`));
    }
  }

  /** What each register holds at a time: an input, a value of the program, or one that no output needs. */
  contents(now) {
    const { inputs, trace, decomposition } = this.record;
    const held = new Map(inputs.map(({ register }, step) => [register, { step, line: -1 }]));
    trace.slice(0, now).forEach(({ values }, line) => values.forEach((value) => held.set(value.register, { ...value, line })));
    return [...held].map(([register, { step, kernels, line }]) => ({
      register, line, value: decomposition[step], kernels: step === null ? kernels : decomposition[step].kernels,
    }));
  }

  draw() {
    const { now } = this.time;
    mark(this.list, now);
    const reads = now === 0 ? [] : this.record.trace[now - 1].transfers.flatMap(({ reads }) => reads.map(({ register }) => register));
    this.cards.replaceChildren(...this.contents(now).map((held) => this.card(held, now, reads)));
    for (const box of this.graph.querySelectorAll("[data-line]")) {
      box.classList.toggle("now", Number(box.dataset.line) === now - 1);
    }
  }

  card({ register, line, value, kernels }, now, reads) {
    const state = line === now - 1 && now > 0 ? "written" : reads.includes(register) ? "read" : "";
    const outputs = value?.outputs.length ? ` → ${value.outputs.join(", ")}` : "";
    const shown = this.states[now].get(register);
    const [low, high] = extremes(shown).map((value) => Number(value.toFixed(3)));
    const figure = element("figure", { class: state, "data-register": register },
      element("figcaption", {}, `${register} · ${value?.name ?? "not used"}${outputs}`),
      ...(kernels ? kernelPictures(kernels, this.record.inputs.length > 1) : [element("p", { class: "small" }, "not known")]),
      picture(shown),
      element("p", { class: "small" }, `${low} to ${high}`.replaceAll("-", "−")));
    const input = line < 0 ? this.record.inputs.findIndex((port) => port.register === register) : -1;
    if (input >= 0) this.accept(figure, input);
    return figure;
  }

  /** Lets pictures be dropped on an input. */
  accept(figure, input) {
    const over = (event) => {
      event.preventDefault();
      figure.classList.toggle("over", event.type === "dragover");
    };
    for (const type of ["dragover", "dragleave", "drop"]) figure.addEventListener(type, over);
    figure.addEventListener("drop", (event) => this.take(event.dataTransfer.files[0], input));
  }
}

let view;

function show(main, data) {
  view = new ProgramPage(main, data);
}
