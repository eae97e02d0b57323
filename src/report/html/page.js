// What all pages share: elements, tables, and a slider through time.

/** An element with attributes and children; functions among the attributes listen to events. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** The same for SVG. */
function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A drawing that kalg made. */
function drawing(svg) {
  const holder = element("div", { class: "drawing", tabindex: "0" });
  holder.append(document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true));
  return holder;
}

/** A table: the first row is the head. */
function table(rows, attributes = {}) {
  const row = (tag) => (cells) => element("tr", {}, ...cells.map((cell) => element(tag, {}, cell ?? "")));
  return element("table", attributes, row("th")(rows[0]), ...rows.slice(1).map(row("td")));
}

/** Buttons of which one is pressed: `choices` has a text and a function for each. */
function buttons(choices, pressed) {
  const press = (now) => made.forEach((button, index) => button.setAttribute("aria-pressed", String(index === now)));
  const made = choices.map(([text, chosen], index) => element("button", {
    type: "button", click: () => { press(index); chosen(); },
  }, text));
  press(pressed);
  return element("p", { class: "control" }, ...made);
}

function heading(main, title, facts) {
  main.append(element("h1", {}, title), ...facts.map((fact) => element("p", { class: "fact" }, fact)));
}

/**
 * A slider from 0 to `last`. `changed` is called with each new time. The arrow keys, Home and End move it wherever the
 * page has the focus, as long as it is on the page.
 */
class Time {
  constructor(last, told, changed) {
    this.last = last;
    this.told = told;
    this.changed = changed;
    this.slider = element("input", {
      type: "range", min: 0, max: last, "aria-label": "time", input: () => this.go(Number(this.slider.value)),
    });
    this.label = element("output");
    this.holder = element("div", { class: "time" }, this.slider, this.label);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  go(time) {
    this.now = Math.max(0, Math.min(this.last, time));
    this.slider.value = this.now;
    this.label.textContent = this.told(this.now);
    this.changed(this.now);
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.holder.isConnected) return;
    const steps = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.go(this.now + steps[event.key]);
  }
}

/** A list of lines, one for each time from 0; the pointer over a line moves `time` there. */
function lines(rows, time) {
  const items = rows.map((cells, index) =>
    element("li", { role: "option", mouseenter: () => time.go(index), click: () => time.go(index) },
      ...cells.map((cell) => element("span", {}, cell))));
  return element("ul", { class: "lines", role: "listbox", tabindex: "0", "aria-label": "lines" }, ...items);
}

/** Marks the line of a list. */
function mark(list, now) {
  [...list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === now)));
  const { offsetTop: top, offsetHeight: height } = list.children[now];
  const above = top - list.offsetTop;
  if (above < list.scrollTop) list.scrollTop = above;
  else if (above + height > list.scrollTop + list.clientHeight) list.scrollTop = above + height - list.clientHeight;
}
