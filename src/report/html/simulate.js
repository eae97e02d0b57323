// Images, and the effects of instructions on them. Nothing here knows an instruction: the record says what each does.
// An image has its rows from the north; each row is from the west.

/** An image whose pixels `value` computes. */
function image(width, height, value) {
  const pixels = new Float64Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels[y * width + x] = value(x, y);
  return { width, height, pixels };
}

/** A scene of 64×64 pixels from 0 to 127: a ramp, a disc, stripes and a slanted edge; moved to the east for later inputs. */
function scene(input) {
  return image(64, 64, (column, y) => {
    const x = column - 4 * input;
    if (Math.hypot(x - 18, y - 18) < 11) return 120;
    if (x >= 36 && x < 60 && y >= 6 && y < 28) return (x >> 2) % 2 ? 110 : 10;
    if (y >= 36 && 2 * x + y > 100) return 90 - (y >> 1);
    return 24 + (x >> 1);
  });
}

/** An image seen from every pixel at an offset, with `beyond` outside of it. What is not known (`null`) stays so. */
function moved(seen, [east, north, up], beyond = 0) {
  if (seen === null) return null;
  const { width, height, pixels } = seen;
  const inside = (x, y) => up === 0 && x >= 0 && x < width && y >= 0 && y < height;
  return image(width, height, (x, y) => (inside(x + east, y - north) ? pixels[(y - north) * width + x + east] : beyond));
}

/** Images of one size, joined pixel by pixel; not known if one of them is not. */
function joined(images, join) {
  if (images.includes(null)) return null;
  return images.reduce((one, other) => ({ ...one, pixels: one.pixels.map((value, i) => join(value, other.pixels[i])) }));
}

function same(one, other) {
  return one === other || (one !== null && other !== null && one.pixels.every((value, i) => value === other.pixels[i]));
}

/**
 * Executes effects. Its states are maps from names to images, of bits with 0 and 1; every effect makes a new one. Registers
 * and bits that are not in them hold 0, the flag 1.
 */
class Machine {
  constructor({ flag, gates }, { width, height }) {
    Object.assign(this, { flag, gates });
    [this.zeros, this.ones] = [0, 1].map((value) => image(width, height, () => value));
  }

  value(state, name) {
    return state.has(name) ? state.get(name) : name === this.flag ? this.ones : this.zeros;
  }

  /** What a register or bit holds if it receives an image where a bit is 1; without such a bit, everywhere. */
  received(state, name, fresh, gate) {
    const open = gate ? this.value(state, gate) : this.ones;
    if (open === this.ones) return fresh;
    const old = this.value(state, name);
    if (fresh === null || open === null || old === null) return null;
    return { ...fresh, pixels: fresh.pixels.map((value, i) => (open.pixels[i] ? value : old.pixels[i])) };
  }

  transfer(state, { writes, reads }) {
    const seen = reads.map(({ register, offset, coefficient }) => {
      const weight = number(coefficient);
      const own = moved(this.value(state, register), offset);
      return own && { ...own, pixels: own.pixels.map((value) => weight * value) };
    });
    const sum = joined([this.zeros, ...seen], (one, other) => one + other);
    const after = new Map(state);
    for (const { register, offset } of writes) {
      after.set(register, this.received(state, register, moved(sum, offset), this.flag));
    }
    return after;
  }

  /** A formula as an image. */
  formula(state, formula) {
    const [[kind, of]] = Object.entries(formula);
    const terms = () => of.map((term) => this.formula(state, term));
    if (kind === "constant") return of ? this.ones : this.zeros;
    if (kind === "bit") return moved(this.value(state, of.bit), of.offset, Number(of.beyond));
    if (kind === "not") return joined([this.ones, this.formula(state, of)], (one, other) => one - other);
    if (kind === "and") return joined([this.ones, ...terms()], Math.min);
    if (kind === "or") return joined([this.zeros, ...terms()], Math.max);
    // Whether a sum of registers is positive.
    const seen = of.map(([register, offset]) => moved(this.value(state, register), offset));
    const sum = joined([this.zeros, ...seen], (one, other) => one + other);
    return sum && { ...sum, pixels: sum.pixels.map((value) => Number(value > 0)) };
  }

  bits(state, { sets, flood }) {
    for (;;) {
      const after = new Map(state);
      for (const [bit, formula] of sets) {
        after.set(bit, this.received(state, bit, this.formula(state, formula), this.gates[bit]));
      }
      if (!flood || sets.every(([bit]) => same(this.value(state, bit), after.get(bit)))) return after;
      state = after;
    }
  }

  effect(state, effect) {
    const [[kind, of]] = Object.entries(effect);
    if (kind === "transfer") return this.transfer(state, of);
    if (kind === "bits") return this.bits(state, of);
    const { width, height } = this.zeros;
    if (kind === "number") return new Map(state).set(of.register, image(width, height, () => of.value));
    return of.reduce((after, name) => after.set(name, null), new Map(state));
  }

  /** The state before the program, and those after each of its steps. */
  run(steps, start) {
    const states = [start];
    for (const { effects } of steps) {
      states.push(effects.reduce((state, effect) => this.effect(state, effect), states[states.length - 1]));
    }
    return states;
  }
}

/** The registers and bits that an effect reads. */
function readBy(effect) {
  const inside = (formula) => {
    const [[kind, of]] = Object.entries(formula);
    if (kind === "bit") return [of.bit];
    if (kind === "positive") return of.map(([register]) => register);
    return kind === "constant" ? [] : [of].flat().flatMap(inside);
  };
  if (effect.transfer) return effect.transfer.reads.map(({ register }) => register);
  return effect.bits ? effect.bits.sets.flatMap(([, formula]) => inside(formula)) : [];
}

/** The least and the greatest pixel. */
function extremes({ pixels }) {
  return pixels.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** An image as a picture, the least value black and the greatest white. */
function picture(shown, [low, high]) {
  const canvas = element("canvas", { width: shown.width, height: shown.height });
  const context = canvas.getContext("2d");
  const data = context.createImageData(shown.width, shown.height);
  shown.pixels.forEach((value, i) => {
    const grey = high > low ? 255 * (value - low) / (high - low) : 128;
    data.data.set([grey, grey, grey, 255], 4 * i);
  });
  context.putImageData(data, 0, 0);
  return canvas;
}

/** The largest side of a picture that is dropped; larger ones are scaled down. */
const LARGEST = 128;

/** A picture's brightness, from 0 to 127. */
async function brightness(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LARGEST / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * scale)));
  const context = element("canvas", { width, height }).getContext("2d");
  context.drawImage(bitmap, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  return image(width, height, (x, y) => {
    const [red, green, blue] = data.subarray(4 * (y * width + x));
    return Math.round((0.299 * red + 0.587 * green + 0.114 * blue) / 2);
  });
}
