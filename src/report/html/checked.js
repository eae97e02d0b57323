// The steps of a program that was checked.

/** An image of numbers for the simulation: in a bit, 1 where a number is positive. */
function imageOf(rows, bit) {
  return image(rows[0].length, rows.length, (x, y) => (bit ? Number(rows[y][x] > 0) : rows[y][x]));
}

/** A program step by step: on the image that shows the difference, if there is one, or on the scene. */
class CheckedSteps extends GuardedSteps {
  constructor({ outputs, warnings, lines: places, counterexample }, walk) {
    super(walk, new Map(outputs.map(({ register, name }) => [register, name])));
    places.forEach((line, index) => {
      const told = warnings.filter((own) => own.line === line).map(({ message }) => message);
      if (told.length) this.remark(index, told.join("; "));
    });
    this.scenes = this.images;
    this.run();
    const lost = outputs.filter((output) => output.lost);
    if (counterexample) this.compare(counterexample);
    for (const { lost: { instruction }, name } of lost) this.wrong(instruction, `from here on, ${name} can no longer become right`);
    if (counterexample && !lost.length) this.blame(counterexample, outputs.find(({ name }) => name === counterexample.output).register);
  }

  /** Shows the program on the image that shows the difference, and lets the reader change to a scene. */
  compare(counterexample) {
    this.example(counterexample);
    const choices = [["on that image", () => this.example(counterexample)], ["on a scene", () => this.scene()]];
    this.parts.unshift(buttons(choices, 0));
  }

  example({ input, image: rows, others, found }) {
    const given = new Map([[input, rows], ...others.map(({ input: name, image: own }) => [name, own])]);
    const blank = found.map((row) => row.map(() => 0));
    const of = (name, register) => imageOf(given.get(name) ?? blank, this.bits.includes(register));
    this.images = this.inputs.map(({ name, register }) => of(name, register));
    this.others = new Map(this.before.map((register) => [register, of(register, register)]));
    this.run();
  }

  scene() {
    [this.images, this.others] = [this.scenes, new Map()];
    this.run();
  }

  /** Says at the last line that wrote the wrong pixel of a register that it did. */
  blame({ pixel: [x, y] }, register) {
    const gate = this.bits.includes(register) ? this.gates[register] : this.flag;
    const at = (index, name) => this.machine.value(this.states[index], name)?.pixels[y * this.machine.zeros.width + x];
    const writes = ({ values }, index) => values.some((value) => value.register === register)
      && (!gate || at(index, gate) !== 0 || at(index, register) !== at(index + 1, register));
    const line = this.steps.findLastIndex(writes);
    this.wrong(line, line < 0 ? "the wrong pixel is as it was before" : "the wrong pixel gets its value here");
  }

  /** Says what is wrong with a line, and goes there. */
  wrong(line, text) {
    this.remark(line, text);
    this.list.children[line + 1].id = "wrong";
    this.time.go(line + 1);
  }
}
