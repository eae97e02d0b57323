// An e-graph: the e-classes of the chosen decomposition in rows, the outputs on top, and the steps that rules took.

class EGraphPage {
  constructor(main, data) {
    Object.assign(this, data);
    heading(main, data.name, [
      `${data.classes.length} of ${data.all} e-classes are in the decomposition; the e-graph has ${data.nodes} e-nodes.`,
      "A box is a kernel with the ways to make it; the chosen one is marked."]);
    const last = data.steps.length;
    this.time = new Time(last, (now) => (now === last ? "decomposed" : `step ${now + 1} of ${last}`), () => this.draw());
    this.list = lines([...data.steps.map((step, index) => [String(index + 1), step.identity, step.rule]), ["", "decomposed", ""]], this.time);
    this.detail = element("section");
    this.boxes = new Map(data.classes.map((own) => [own.id, this.box(own)]));
    const deepest = Math.max(...data.classes.map(({ layer }) => layer), 0);
    const rows = Array.from({ length: deepest + 1 }, (_, layer) => element("div", { class: "layer" },
      ...data.classes.filter((own) => own.layer === layer).map(({ id }) => this.boxes.get(id))));
    this.edges = shape("svg", { class: "edges", "aria-hidden": "true" });
    this.graph = element("div", { class: "egraph", tabindex: "0" }, this.edges, ...rows);
    main.append(this.time.holder, element("div", { class: "columns" },
      element("section", {}, element("h2", {}, "Steps"), this.list), this.detail),
    element("h2", {}, "E-graph"), this.graph, element("h2", {}, "Report"), element("pre", {}, data.report));
    for (const event of ["resize", "beforeprint"]) addEventListener(event, () => this.connect());
    this.time.go(0);
    this.connect();
  }

  /** The box of an e-class; the pointer over it moves to the step that takes it apart. */
  box({ id, kernel, nodes, more }) {
    const line = ({ operation, rule, chosen }) => element("li", { class: chosen ? "chosen" : "" },
      element("code", {}, operation), ...(rule ? [element("span", { class: "small" }, ` ${rule}`)] : []));
    const rest = more ? [element("li", { class: "small" }, `and ${more} more`)] : [];
    const step = this.steps.findIndex((own) => own.kernel === kernel);
    return element("figure", { "data-class": id, click: () => step >= 0 && this.time.go(step) },
      element("figcaption", {}, element("code", {}, kernel)), element("ul", {}, ...nodes.map(line), ...rest));
  }

  /** Draws a line from each box to the parts of its chosen e-node. */
  connect() {
    const origin = this.graph.getBoundingClientRect();
    const [left, top] = [origin.left - this.graph.scrollLeft, origin.top - this.graph.scrollTop];
    this.edges.setAttribute("width", this.graph.scrollWidth);
    this.edges.setAttribute("height", this.graph.scrollHeight);
    this.edges.replaceChildren();
    for (const { id, nodes } of this.classes) {
      const from = this.boxes.get(id).getBoundingClientRect();
      for (const part of new Set(nodes.filter(({ chosen }) => chosen).flatMap(({ parts }) => parts))) {
        const to = this.boxes.get(part)?.getBoundingClientRect();
        if (!to) continue;
        this.edges.append(shape("line", {
          x1: (from.left + from.right) / 2 - left, y1: from.bottom - top,
          x2: (to.left + to.right) / 2 - left, y2: to.top - top,
        }));
      }
    }
  }

  draw() {
    const { now } = this.time;
    mark(this.list, now);
    const step = this.steps[now];
    for (const { id, kernel } of this.classes) {
      const at = this.steps.findIndex((own) => own.kernel === kernel);
      const box = this.boxes.get(id);
      box.classList.toggle("written", at === now);
      box.classList.toggle("done", at >= 0 && at < now);
    }
    const terms = (texts) => texts.map((text) => element("pre", {}, ...text.split(/(«[^»]*»)/).map(
      (part) => (part.startsWith("«") ? element("mark", {}, part.slice(1, -1)) : part))));
    this.detail.replaceChildren(...(step
      ? [element("h2", {}, step.rule), element("p", {}, step.doc), element("p", { class: "small" }, step.place ?? this.name),
        element("pre", {}, step.identity), element("h2", {}, "Before the step"), ...terms(step.before)]
      : [element("h2", {}, "Decomposed"), ...terms(this.outputs)]));
  }
}

function show(main, data) {
  new EGraphPage(main, data);
}
