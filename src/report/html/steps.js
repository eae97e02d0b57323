// A program step by step: its lines, and a card with the picture of each register after the line that is chosen.

/** The value from which a pixel of a picture is 1 in a bit. */
const BRIGHT = 64;

class Steps {
  /**
   * `inputs` have names and registers, `steps` have effects; `bits`, `flag` and `gates` are those of the machine. `rows` are
   * the lines as they are listed, the start first. Who extends this says with `contents` what cards show.
   */
  constructor({ inputs, steps, bits = [], flag = null, gates = {} }, rows) {
    Object.assign(this, { inputs, steps, bits, flag, gates });
    this.images = inputs.map((port, input) => this.fit(port, scene(input)));
    /** What registers that are no inputs hold at the start. */
    this.others = new Map();
    const last = steps.length;
    this.time = new Time(last, (now) => (now === 0 ? "at the start" : `after ${now} of ${last}`), () => this.draw());
    this.list = lines(rows, this.time);
    this.cards = element("div", { class: "cards" });
    this.choice = this.chooser();
    this.parts = [this.time.holder, element("div", { class: "columns" },
      element("section", {}, element("h2", {}, "Program"), this.list, this.choice),
      element("section", {}, element("h2", {}, "Registers"), this.cards))];
  }

  /** A picture as its input holds it: a bit is 1 where the picture is bright. */
  fit({ register }, taken) {
    if (!this.bits.includes(register)) return taken;
    return { ...taken, pixels: taken.pixels.map((value) => Number(value >= BRIGHT)) };
  }

  /** Where a picture is dropped or chosen. */
  chooser() {
    if (this.inputs.length === 0) return element("p");
    const choose = element("input", { type: "file", accept: "image/*", change: () => this.take(choose.files[0], 0) });
    return element("p", { class: "control small" },
      element("label", {}, "Drop a picture on an input, or choose one for the first: ", choose));
  }

  /** Simulates the program, and shows it where it was, at first its end. */
  run() {
    const start = new Map([...this.others, ...this.inputs.map(({ register }, input) => [register, this.images[input]])]);
    const [size = scene(0)] = start.values();
    this.machine = new Machine(this, size);
    this.states = this.machine.run(this.steps, start);
    this.time.go(this.time.now ?? this.steps.length);
  }

  async take(file, input) {
    if (!file) return;
    try {
      const taken = this.fit(this.inputs[input], await brightness(file));
      // All inputs have one size.
      this.images = this.images.map((old, index) => (index === input ? taken : image(taken.width, taken.height,
        (x, y) => (x < old.width && y < old.height ? old.pixels[y * old.width + x] : 0))));
      this.others = new Map();
      this.run();
    } catch {
      this.choice.append(element("span", { class: "bad" }, ` ${file.name} is no picture that the browser can show.`));
    }
  }

  draw() {
    const { now } = this.time;
    mark(this.list, now);
    const effects = now === 0 ? [] : this.steps[now - 1].effects;
    const reads = effects.flatMap(readBy);
    const masks = this.flag !== null && effects.some(({ transfer }) => transfer)
      && this.machine.value(this.states[now - 1], this.flag) !== this.machine.ones;
    if (masks) reads.push(this.flag);
    this.cards.replaceChildren(...this.contents(now).map((held) => this.card(held, now, reads)));
  }

  /** The card of a register: the line that wrote it (-1 for none), a caption, and what is shown above its picture. */
  card({ register, line, caption, shown }, now, reads) {
    const state = line === now - 1 && now > 0 ? "written" : reads.includes(register) ? "read" : "";
    const figure = element("figure", { class: state, "data-register": register },
      element("figcaption", {}, caption), ...shown, ...this.pictured(register, this.machine.value(this.states[now], register)));
    const input = line < 0 ? this.inputs.findIndex((port) => port.register === register) : -1;
    if (input >= 0) this.accept(figure, input);
    return figure;
  }

  /** The picture of a register, with its range; of a bit, with its share of ones. */
  pictured(register, held) {
    const told = (text) => element("p", { class: "small" }, text.replaceAll("-", "−"));
    if (held === null) return [told("not simulated: no exact rule describes it")];
    if (this.bits.includes(register)) {
      const share = held.pixels.reduce((sum, bit) => sum + bit, 0) / held.pixels.length;
      return [picture(held, [0, 1]), told(`1 in ${Number((100 * share).toFixed(1))} % of the elements`)];
    }
    const [low, high] = extremes(held);
    return [picture(held, [low, high]), told(`${Number(low.toFixed(3))} to ${Number(high.toFixed(3))}`)];
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
