// The innermost loop of a program for a vector machine: a Gantt chart of one iteration by slot, with operands.

const CELL = 26;
const ROW = 34;
const LABEL = 64;

class LoopPage {
  constructor(main, { record, report }) {
    this.record = record;
    const { initiation_interval: interval, iterations, cycles, macs_per_cycle: speed } = record;
    heading(main, record.filter, [record.method,
      `${cycles} cycles; an iteration begins every ${interval} cycles, ${iterations} iterations; ${speed.toFixed(2)} multiplications a cycle`]);
    this.time = new Time(interval - 1, (now) => `cycle ${now} of ${interval}`, () => this.draw());
    this.list = lines(record.schedule.map((bundle) => ["", bundle.trim(), ""]), this.time);
    this.bars = record.operations.map((operation, index) => this.bar(operation, index));
    this.detail = element("section", { class: "small", "aria-live": "polite" }, "Point at an operation to see its operands.");
    main.append(this.time.holder, element("h2", {}, "One iteration, by slot"), this.chart(), this.detail,
      element("h2", {}, "The loop, cycle by cycle"), this.list, element("h2", {}, "Report"), element("pre", {}, report));
    this.time.go(0);
  }

  get slots() {
    return [...new Set(this.record.operations.map(({ slot }) => slot))].sort();
  }

  /** The chart. Shades tell the stages of the pipeline apart: what stands in one column of all stages is issued together. */
  chart() {
    const { operations, initiation_interval: interval } = this.record;
    const last = Math.max(...operations.map(({ time, latency }) => time + latency));
    const [width, height] = [LABEL + last * CELL, (this.slots.length + 1) * ROW];
    const svg = shape("svg", { class: "gantt", width, height, viewBox: `0 0 ${width} ${height}` });
    for (let cycle = 0; cycle < last; cycle++) {
      const shade = Math.floor(cycle / interval) % 2 ? "odd" : "even";
      svg.append(
        shape("rect", { class: shade, x: LABEL + cycle * CELL, y: 0, width: CELL, height, "data-cycle": cycle % interval }),
        shape("text", { x: LABEL + (cycle + 0.5) * CELL, y: 20, "text-anchor": "middle" }, String(cycle)));
    }
    this.slots.forEach((slot, row) => svg.append(shape("text", { x: 4, y: (row + 1.65) * ROW }, slot)));
    // Later operations lie over the waits of earlier ones.
    svg.append(...this.bars.toSorted((a, b) => operations[a.dataset.operation].time - operations[b.dataset.operation].time));
    return element("div", { class: "chart", tabindex: "0" }, svg);
  }

  /** An operation: dark in the cycle in which it is issued, pale until its result is there. */
  bar({ slot, time, latency, text }, index) {
    const [x, y] = [LABEL + time * CELL + 1, (this.slots.indexOf(slot) + 1) * ROW + 4];
    const rect = (name, cycles) => shape("rect", { class: name, x, y, width: cycles * CELL - 2, height: ROW - 8, rx: 3 });
    const group = shape("g", { class: "bar", "data-operation": index }, rect("waits", latency), rect("issued", 1));
    group.append(shape("title", {}, text));
    group.addEventListener("mouseenter", () => this.point(index));
    return group;
  }

  /** Shows where the operands of an operation come from. */
  point(index) {
    const { slot, time, text, operands } = this.record.operations[index];
    const before = (count) => (count === 0 ? "in this iteration" : `${count} iteration${count > 1 ? "s" : ""} before`);
    const origin = ({ from, iterations }) => (from === null
      ? "loaded before the loop" : `${this.record.operations[from].text}, ${before(iterations)}`);
    this.bars.forEach((bar, other) => {
      bar.classList.toggle("pointed", other === index);
      bar.classList.toggle("source", operands.some(({ from }) => from === other));
    });
    this.detail.replaceChildren(element("p", {}, element("code", {}, text), ` in ${slot}, cycle ${time}`),
      ...(operands.length ? [table([["operand", "from"], ...operands.map((operand) => [operand.register, origin(operand)])])] : []));
  }

  draw() {
    const { now } = this.time;
    mark(this.list, now);
    for (const column of document.querySelectorAll("[data-cycle]")) column.classList.toggle("now", Number(column.dataset.cycle) === now);
  }
}

function show(main, data) {
  new LoopPage(main, data);
}
