// Programs in steps: what registers and bits hold, case by case.

/** The longest condition that a line shows; of others, only the flag is named. */
const SHORT = 48;

const small = (text) => element("p", { class: "small" }, text.replaceAll("-", "−"));

/** The conditions of a case in words. */
function conditionText({ conditions }) {
  return conditions.join(" and ") || "everywhere";
}

/** A value as its kernels, or case by case: for a bit, where it is 1. */
function casesDrawn({ kernels, cases, reason }, several) {
  if (kernels) return kernelPictures(kernels, several);
  if (!cases) return [small(reason ?? "more cases than are listed")];
  if (cases.every(({ bit }) => bit !== null)) {
    const ones = cases.filter(({ bit }) => bit).map((own) => small(`1 ${own.conditions.length ? "where " : ""}${conditionText(own)}`));
    return ones.length ? ones : [small("0 everywhere")];
  }
  return cases.flatMap((own) => {
    const { kernels: taps, constant } = own;
    const added = constant === null ? [] : [small(`${taps.length ? "plus " : ""}${constant}`)];
    return [small(own.conditions.length ? `where ${conditionText(own)}` : "everywhere"),
      ...(taps.length || constant === null ? kernelPictures(taps, several) : []), ...added];
  });
}

/** A program step by step. `ends` says for registers what they hold at the end. */
class GuardedSteps extends Steps {
  constructor(walk, ends) {
    const conditions = inForce(walk);
    const row = ({ line, instruction }, index) => [String(line), instruction, conditions[index]];
    // Without bits, a program has no use for the flag.
    const flag = walk.steps.some(({ effects }) => effects.some(({ bits }) => bits)) ? walk.flag : null;
    super({ ...walk, flag }, [["", "at the start", ""], ...walk.steps.map(row)]);
    this.ends = ends;
    this.before = readFirst(walk);
  }

  /** Adds a remark to a line. */
  remark(index, text) {
    this.list.children[index + 1].lastChild.append(element("span", { class: "bad" }, ` ${text}`));
  }

  /** What each register and bit holds that was written, is an input, or is read before it is written; the flag first. */
  contents(now) {
    const one = [{ offset: [0, 0, 0], coefficient: "1" }];
    const own = (name, register) => (this.bits.includes(register)
      ? { cases: [{ conditions: [`${name} is 1`], bit: true }, { conditions: [`${name} is 0`], bit: false }] }
      : { kernels: [{ input: name, taps: one }] });
    const held = new Map();
    if (this.flag) held.set(this.flag, { cases: [{ conditions: [], bit: true }], line: -1, name: "the flag" });
    for (const { name, register } of this.inputs) held.set(register, { ...own(name, register), line: -1, name });
    for (const register of this.before) held.set(register, { ...own(register, register), line: -1, name: "before the program" });
    this.steps.slice(0, now).forEach(({ values }, line) => values.forEach((value) => {
      held.set(value.register, { ...value, line, name: value.register === this.flag ? "the flag" : "" });
    }));
    const several = this.inputs.length + this.before.length > 1;
    return [...held].map(([register, value]) => {
      const named = now === this.steps.length ? this.ends.get(register) : undefined;
      const end = named && named !== register ? ` → ${named}` : "";
      const caption = `${register}${value.name && value.name !== register ? ` · ${value.name}` : ""}${end}`;
      return { register, line: value.line, caption, shown: casesDrawn(value, several) };
    });
  }
}

/** For each line that writes analogue registers under a flag: where that is 1. */
function inForce({ flag, steps }) {
  let text = "";
  return steps.map(({ effects, values }) => {
    const told = effects.some(({ transfer }) => transfer) ? text : "";
    for (const { register, cases } of values) {
      if (register !== flag) continue;
      const ones = cases?.filter(({ bit }) => bit).map(conditionText).join(" or ");
      if (ones === "everywhere") text = "";
      else text = `where ${ones && ones.length <= SHORT ? ones : flag}`;
    }
    return told;
  });
}

/** The registers and bits, other than inputs and the flag, that are read before they are written. */
function readFirst({ inputs, flag, steps }) {
  const known = new Set([flag, ...inputs.map(({ register }) => register)]);
  const found = [];
  for (const { effects, values } of steps) {
    for (const name of effects.flatMap(readBy)) {
      if (known.has(name)) continue;
      known.add(name);
      found.push(name);
    }
    values.forEach(({ register }) => known.add(register));
  }
  return found;
}
