/* ---- the map ---- */

const MOST_LETTERS = 4000, LEAST_LINES = 7, LEAST_LETTERS = 14, LARGEST = 36;

class Grid extends Movable {
  constructor(data) {
    super();
    this.rows = data.rows;
    this.columns = data.columns;
    this.across = data.across; /* elements of a line; the last line may be shorter */
    this.down = Math.ceil(data.rows * data.columns / data.across);
    this.classes = data.classes;
    this.of = new Uint16Array(data.rows * data.columns);
    let at = 0;
    for (const [times, ...runs] of data.runs) {
      const begin = at;
      for (let i = 0; i < runs.length; i += 2)
        this.of.fill(runs[i + 1], at, at += runs[i]);
      for (let copy = 1; copy < times; copy++, at += data.columns)
        this.of.copyWithin(at, begin, begin + data.columns);
    }
    this.box = document.querySelector(".grid");
    this.box.insertAdjacentHTML("afterbegin", `<form class="tools"><label>Element <input name="element"
      size="10" placeholder="${data.columns > 1 ? "row,column" : "row"}"></label><button>Show its order</button>
      <span class="gap"></span><button type="button" data-do="in" aria-label="Zoom in">+</button>
      <button type="button" data-do="out" aria-label="Zoom out">−</button>
      <button type="button" data-do="fit">Fit</button></form><canvas tabindex="0" role="application"
      aria-label="The elements of the result, colored by class. Arrow keys choose an element, + and -
      zoom, 0 fits the map into the frame."></canvas><p class="said" role="status"></p>`);
    this.canvas = this.box.querySelector("canvas");
    this.canvas.style.height = `min(55vh, ${Math.max(140, 24 + LARGEST * this.down)}px)`;
    this.form = this.box.querySelector("form");
    this.paint();
    this.chosen = -1;
    this.scale = 1;
    this.at = [0, 0];
    this.listen();
    this.fit();
  }

  /* A pixel for each element, drawn once. */
  paint() {
    this.image = document.createElement("canvas");
    this.image.width = this.across;
    this.image.height = this.down;
    const context = this.image.getContext("2d"), pixels = context.createImageData(this.across, this.down);
    const ink = this.classes.map((c) => [1, 3, 5].map((i) => parseInt(c.color.slice(i, i + 2), 16)));
    this.of.forEach((id, i) => pixels.data.set([...ink[id], 255], 4 * i));
    context.putImageData(pixels, 0, 0);
  }

  look() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, ratio = devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const c = this.canvas.getContext("2d"), {scale, across, down} = this, [x, y] = this.at;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.imageSmoothingEnabled = scale < 1;
    c.drawImage(this.image, -x * scale, -y * scale, across * scale, down * scale);
    const first = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
    const last = [Math.min(across, Math.ceil(x + width / scale)), Math.min(down, Math.ceil(y + height / scale))];
    const seen = Math.max(0, last[0] - first[0]) * Math.max(0, last[1] - first[1]);
    if (scale >= LEAST_LINES)
      this.lines(c, first, last);
    if (scale >= LEAST_LETTERS && seen <= MOST_LETTERS)
      this.letters(c, first, last);
    if (this.chosen >= 0) {
      const left = (this.chosen % across - x) * scale, top = (Math.floor(this.chosen / across) - y) * scale;
      const wide = Math.max(scale, 8), shift = (wide - scale) / 2;
      for (const [color, line] of [["#fff", 5], ["#c2185b", 2.5]]) {
        c.strokeStyle = color;
        c.lineWidth = line;
        c.strokeRect(left - shift, top - shift, wide, wide);
      }
    }
  }

  /* Between elements; the last line may be shorter than the others. */
  lines(c, first, last) {
    const part = this.of.length - this.across * (this.down - 1), {scale} = this, [x, y] = this.at;
    const line = (x0, y0, x1, y1) => {
      c.moveTo((x0 - x) * scale, (y0 - y) * scale);
      c.lineTo((x1 - x) * scale, (y1 - y) * scale);
    };
    c.strokeStyle = "rgba(255, 255, 255, .7)";
    c.lineWidth = 1;
    c.beginPath();
    for (let column = first[0]; column <= last[0]; column++)
      line(column, first[1], column, Math.min(last[1], column > part ? this.down - 1 : this.down));
    for (let row = first[1]; row <= last[1]; row++)
      line(first[0], row, Math.min(last[0], row === this.down ? part : this.across), row);
    c.stroke();
  }

  letters(c, first, last) {
    c.fillStyle = "#101820";
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.font = `${Math.min(this.scale * 0.5, 14)}px Helvetica, Arial, sans-serif`;
    for (let row = first[1]; row < last[1]; row++)
      for (let column = first[0]; column < last[0]; column++) {
        const id = this.of[row * this.across + column];
        if (id !== undefined)
          c.fillText(this.classes[id].name, (column + 0.5 - this.at[0]) * this.scale,
            (row + 0.5 - this.at[1]) * this.scale);
      }
  }

  fit() {
    this.moved = false;
    const width = this.canvas.clientWidth || 800, height = this.canvas.clientHeight || 400;
    this.scale = Math.min((width - 20) / this.across, (height - 20) / this.down, LARGEST);
    this.at = [(this.across - width / this.scale) / 2, (this.down - height / this.scale) / 2];
    this.look();
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor(this.at[0] + (event.clientX - box.left) / this.scale);
    const row = Math.floor(this.at[1] + (event.clientY - box.top) / this.scale), at = row * this.across + column;
    if (column >= 0 && column < this.across && row >= 0 && at < this.of.length)
      this.choose(at);
  }

  name(at) {
    return this.columns > 1 ? `${Math.floor(at / this.columns)},${at % this.columns}` : `${at}`;
  }

  /* Shows an element and the order of its class. */
  choose(at) {
    const id = this.of[at], {name} = this.classes[id];
    this.chosen = at;
    this.form.element.value = this.name(at);
    this.say(`Element ${this.name(at)} belongs to class ${name}.`);
    showClass(id);
    remember("element", this.name(at));
    this.look();
  }

  ask(text) {
    const parts = text.split(",").map(Number), [row, column] = this.columns > 1 ? parts : [...parts, 0];
    const good = parts.length === (this.columns > 1 ? 2 : 1) && text.trim() !== "" &&
      Number.isInteger(row) && Number.isInteger(column) && row >= 0 && row < this.rows && column >= 0 &&
      column < this.columns;
    if (!good)
      return this.say(this.columns > 1 ? `Give an element as row,column, up to ${this.rows - 1},${
        this.columns - 1}.` : `Give a row from 0 to ${this.rows - 1}.`);
    return this.choose(row * this.columns + column);
  }

  key(event) {
    const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.across, ArrowDown: this.across};
    if (event.ctrlKey || event.metaKey || event.altKey)
      return;
    const next = this.chosen < 0 ? 0 : this.chosen + steps[event.key];
    if (steps[event.key] && next >= 0 && next < this.of.length)
      this.choose(next);
    else if (!steps[event.key] && !this.zoomed(event.key))
      return;
    event.preventDefault();
  }

  listen() {
    this.watch(this.canvas, 0.02, 80);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask(this.form.element.value);
    });
  }
}

/* One class at a time; its order is drawn when it is first shown. */
function showClass(id) {
  document.querySelectorAll("section.order").forEach((section) => {
    section.hidden = section.id !== `class-${id}`;
  });
  document.querySelectorAll(".classes button").forEach((button) => {
    button.setAttribute("aria-pressed", String(Number(button.dataset.class) === id));
  });
  const section = document.getElementById(`class-${id}`);
  if (!section || !section.querySelector(".view"))
    return null;
  const view = viewOf(section);
  view.onAsk = (term) => remember("leaf", term);
  return view;
}

function startMap() {
  const grid = new Grid(JSON.parse(document.getElementById("map").textContent));
  const follow = () => {
    const now = hash();
    if (now.has("element"))
      grid.ask(now.get("element"));
    const view = showClass(grid.chosen < 0 ? 0 : grid.of[grid.chosen]);
    if (now.has("leaf") && view)
      view.ask(now.get("leaf"));
  };
  document.querySelector(".classes").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button)
      grid.choose(grid.classes[Number(button.dataset.class)].first);
  });
  addEventListener("hashchange", follow);
  follow();
}
