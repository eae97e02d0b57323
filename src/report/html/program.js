// A linear program for a processor array: its registers with their kernels, and how its values depend on one another.

class ProgramPage extends Steps {
  constructor(main, { record, facts, equations, graph }) {
    // A line with its number and what it computes.
    const row = (line, index) => {
      const computed = record.trace[index].values.flatMap(({ step }) => (step === null ? [] : [equations[step]]));
      return [String(index + 1), line, computed.join("; ")];
    };
    const steps = record.trace.map(({ transfers }, index) => (
      { instruction: record.program[index], effects: transfers.map((transfer) => ({ transfer })) }));
    super({ inputs: record.inputs, steps }, [["", "at the start", ""], ...record.program.map(row)]);
    this.record = record;
    heading(main, record.filter, facts);
    this.graph = drawing(graph);
    main.append(...this.parts, element("h2", {}, "Values"), this.graph);
    for (const box of this.graph.querySelectorAll("[data-line]")) {
      box.addEventListener("mouseenter", () => this.time.go(Number(box.dataset.line) + 1));
    }
    this.run();
  }

  /** What each register holds at a time: an input, a value of the program, or one that no output needs. */
  contents(now) {
    const { inputs, trace, decomposition } = this.record;
    const held = new Map(inputs.map(({ register }, step) => [register, { step, line: -1 }]));
    trace.slice(0, now).forEach(({ values }, line) => values.forEach((value) => held.set(value.register, { ...value, line })));
    return [...held].map(([register, { step, kernels, line }]) => {
      const value = decomposition[step];
      const known = step === null ? kernels : value.kernels;
      const outputs = value?.outputs.length ? ` → ${value.outputs.join(", ")}` : "";
      return {
        register, line, caption: `${register} · ${value?.name ?? "not used"}${outputs}`,
        shown: known ? kernelPictures(known, inputs.length > 1) : [element("p", { class: "small" }, "not known")],
      };
    });
  }

  draw() {
    super.draw();
    for (const box of this.graph.querySelectorAll("[data-line]")) {
      box.classList.toggle("now", Number(box.dataset.line) === this.time.now - 1);
    }
  }
}

let view;

function show(main, data) {
  view = new ProgramPage(main, data);
}
