/* ---- the drawing ---- */

class View extends Movable {
  constructor(section) {
    super();
    this.section = section;
    this.order = new Order(JSON.parse(section.querySelector("script").textContent));
    this.outline = new Outline(this.order);
    this.box = section.querySelector(".view");
    this.box.innerHTML = `<form class="tools"><label>Term <input name="leaf" inputmode="numeric"
      size="10" placeholder="0 … ${this.order.terms - 1}"></label><button>Show its path</button>
      <span class="gap"></span><button type="button" data-do="in" aria-label="Zoom in">+</button>
      <button type="button" data-do="out" aria-label="Zoom out">−</button>
      <button type="button" data-do="fit">Fit</button>
      <button type="button" data-do="reset">Start again</button>
      ${this.order.terms <= MOST_ALL ? `<button type="button" data-do="all">All terms</button>` : ""}
      </form><svg tabindex="0" role="group" aria-label="The order as a tree. Arrow keys move it, + and - zoom,
      0 fits it into the frame, Tab goes to its parts."></svg>
      <p class="said" role="status"></p><div class="way"></div>`;
    this.svg = this.box.querySelector("svg");
    this.form = this.box.querySelector("form");
    this.listen();
    if (section.dataset.expand !== undefined && this.order.terms <= MOST_ALL)
      this.outline.reset(true);
    this.draw();
    this.fit();
  }

  /* Widths from below, places from above, as in the picture that accord writes as SVG. */
  layOut() {
    const items = this.items = this.outline.items(), gap = this.outline.all ? 8 : 22;
    const drawn = new Map(items.filter((i) => i.open).reverse().map((i) => [i.shape, i]));
    let letters = 0;
    for (const item of items) {
      const like = item.kind === "box" && !item.missing && drawn.get(item.shape);
      if (!like || like.node.step !== item.node.step)
        continue;
      like.letter = like.letter || String.fromCharCode(65 + letters++ % 26);
      item.text = `${plural(item.leaves, "term")}, as ${like.letter}`;
    }
    for (const item of [...items].reverse())
      this.placeBelow(item, gap);
    const root = items[0], left = Math.min(...root.left);
    this.width = Math.max(...root.right) - left;
    this.height = 40 + ROW * root.left.length;
    for (const item of items) {
      item.x = item.above ? item.above.x + item.beside : -left;
      item.y = item.above ? item.above.y + ROW : 30;
    }
  }

  /* An item and what is below it; `left` and `right` are the ends of what is drawn in each row,
   * relative to the item. Neighbors stand as near to each other as all rows allow. */
  placeBelow(item, gap) {
    const times = item.times > 1 ? grouped(item.times).length + 2 : 0;
    const text = LETTER * Math.max(item.text.length, times);
    item.half = item.open ? RADIUS : Math.max(RADIUS, text / 2 + 8);
    item.left = [-item.half - (item.letter ? 16 : 0)];
    item.right = [item.half + (item.open && text ? 20 + text : 8)];
    const left = [], right = [];
    for (const kid of item.kids) {
      kid.beside = 0;
      for (let row = 0; row < Math.min(right.length, kid.left.length); row++)
        kid.beside = Math.max(kid.beside, right[row] + gap - kid.left[row]);
      kid.left.forEach((end, row) => {
        if (row === left.length)
          left.push(kid.beside + end);
        right[row] = kid.beside + kid.right[row];
      });
    }
    if (item.kids.length === 0)
      return;
    const middle = item.kids[item.kids.length - 1].beside / 2;
    item.kids.forEach((kid) => (kid.beside -= middle));
    item.left.push(...left.map((end) => end - middle));
    item.right.push(...right.map((end) => end - middle));
  }

  frame(item, x, y) {
    const half = item.half;
    if (item.kind === "sum")
      return `<circle cx="${x}" cy="${y}" r="${RADIUS}"/>`;
    if (item.kind === "chain")
      return `<rect x="${x - RADIUS}" y="${y - 21}" width="${2 * RADIUS}" height="42" rx="${RADIUS}"/>`;
    if (item.kind === "fold")
      return `<path d="M${x} ${y - 22}l24 40h-48z"/>`;
    const round = item.kind === "term" ? RADIUS : 4;
    return `<rect x="${x - half}" y="${y - RADIUS}" width="${2 * half}" height="${2 * RADIUS}" rx="${round}"/>`;
  }

  sign(item, x, y, arm) {
    const mark = this.order.mark(item.label);
    if (!mark)
      return `<path class="p" d="M${x - arm} ${y}h${2 * arm}M${x} ${y - arm}v${2 * arm}"/>`;
    const size = Math.min(11, 26 / (0.62 * mark.length));
    return `<text x="${x}" y="${y + 0.36 * size}" style="font-size:${size}px">${escaped(mark)}</text>`;
  }

  title(item) {
    const {order} = this, does = item.kind === "box" ? "open" : item.kind === "chain" ? "unroll"
      : item.kind === "fold" ? "unfold" : item.kids.some((kid) => kid.times > 1) ? "split" : "close";
    const what = `${item.kind === "term" ? "term" : plural(item.leaves, "term")} ${item.kind === "term"
      ? item.text : order.range(item.node)}${item.times > 1 ? `, ${grouped(item.times)} times` : ""}`;
    if (item.kind === "term")
      return `${what}${item.label ? `; ${order.words(item.label)}` : ""}${
        item.times > 1 ? "" : "; click to show its path"}`;
    if (item.missing)
      return `${what}: too irregular to be held by this page`;
    return `${what}; ${order.words(item.label)}; click to ${does}`;
  }

  glyph(item, index) {
    const {x, y} = item, copies = Math.min(item.times - 1, 2), words = this.title(item);
    const kind = item.open ? (this.order.mark(item.label) ? "k" : item.operands > 2 ? "f" : "n")
      : item.kind === "box" ? "b" : "t";
    let out = `<g class="item ${kind}${item.way ? " on" : ""}" tabindex="0" role="button"
      data-item="${index}" aria-label="${escaped(words)}"${item.kind === "box" || item.open
      ? ` aria-expanded="${item.open}"` : ""}><title>${escaped(words)}</title>`;
    for (let copy = copies; copy >= 0; copy--)
      out += this.frame(item, x + 4 * copy, y - 4 * copy);
    if (item.kind === "chain")
      out += this.sign(item, x, y - 9, 4) + this.sign(item, x, y + 9, 4);
    else if (item.open)
      out += this.sign(item, x, item.kind === "fold" ? y + 5 : y, 6);
    else
      out += `<text x="${x}" y="${y + 4.5}">${escaped(item.text)}</text>`;
    const beside = x + (item.kind === "fold" ? 29 : RADIUS + 6) + 4 * copies;
    const line = item.kind === "fold" ? y + 14 : item.times > 1 ? y + 12 : y + 5;
    const times = `× ${grouped(item.times)}`;
    if (item.open)
      out += `<text class="l" x="${beside}" y="${line}">${item.text}</text>`;
    if (item.times > 1)
      out += item.open ? `<text class="l x" x="${beside}" y="${line - 17}">${times}</text>`
        : `<text class="x" x="${x}" y="${y + RADIUS + 15}">${times}</text>`;
    if (item.letter)
      out += `<text class="x a" x="${x - RADIUS - 10}" y="${y - 6}">${item.letter}</text>`;
    return out + "</g>";
  }

  draw() {
    this.layOut();
    const edge = (item) => `<path class="e${item.way && item.above.way ? " on" : ""}" d="M${item.above.x} ${
      item.above.y}L${item.x} ${item.y}"/>`;
    this.svg.innerHTML = this.items.slice(1).map(edge).join("") +
      this.items.map((item, index) => this.glyph(item, index)).join("");
    this.look();
  }

  /* ---- the part that is looked at ---- */

  fit() {
    this.moved = false;
    const box = this.svg.getBoundingClientRect(), width = box.width || 800, height = box.height || 500;
    this.scale = Math.min(width / (this.width + 30), height / (this.height + 10), 1.4);
    this.at = [(this.width - width / this.scale) / 2, this.height * this.scale < height
      ? (this.height - height / this.scale) / 2 : 0];
    this.look();
  }

  resize() {
    this.moved ? this.look() : this.frameAll();
  }

  frameAll() {
    this.fit();
    const last = this.outline.path.length > 0 && this.items.findLast((item) => item.way);
    if (last && this.scale < LEGIBLE)
      this.lookAt(last);
  }

  /* A part of a drawing that is too large to be read as a whole. */
  lookAt(item) {
    const box = this.svg.getBoundingClientRect();
    this.scale = 0.85;
    this.at = [item.x - box.width / 2 / this.scale, Math.max(-10, item.y + 60 - box.height / this.scale)];
    this.look();
  }

  look() {
    if (!this.at)
      return;
    const box = this.svg.getBoundingClientRect();
    this.svg.setAttribute("viewBox", [...this.at, (box.width || 800) / this.scale,
      (box.height || 500) / this.scale].map((v) => v.toFixed(2)).join(" "));
  }

  /* ---- what the reader does ---- */

  use(index, closing) {
    let item = this.items[index];
    if (item.kind === "term" && item.times === 1)
      return this.ask(item.node.low);
    item = item.kind === "term" ? item.above : item;
    if (item.missing)
      return;
    const {x, y, node} = item;
    closing ? this.outline.close(item) : this.outline.use(item);
    this.draw();
    /* What was clicked stays where it was. */
    const again = this.items.findIndex((i) => keyOf(i.node) === keyOf(node) && i.node.step === node.step);
    if (again >= 0) {
      this.move((x - this.items[again].x) * this.scale, (y - this.items[again].y) * this.scale);
      this.svg.querySelector(`[data-item="${again}"]`).focus({preventScroll: true});
    }
  }

  listen() {
    this.watch(this.svg, 1e-3, 20);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask(this.form.leaf.value.trim());
    });
    this.form.addEventListener("click", (event) => {
      const does = event.target.dataset.do;
      if (does === "all" || does === "reset")
        this.restart(does === "all");
    });
  }

  click(event) {
    const item = event.target.closest("[data-item]");
    if (item)
      this.use(Number(item.dataset.item), event.shiftKey);
  }

  key(event) {
    const item = event.target.closest("[data-item]");
    const moves = {ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40]};
    if (event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (item && (event.key === "Enter" || event.key === " "))
      this.use(Number(item.dataset.item), event.shiftKey);
    else if (item && (event.key === "Backspace" || event.key === "Delete"))
      this.use(Number(item.dataset.item), true);
    else if (moves[event.key])
      this.move(...moves[event.key]);
    else if (!this.zoomed(event.key))
      return;
    event.preventDefault();
  }

  restart(all) {
    this.outline.reset(all || this.outline.isSmall());
    this.say("");
    this.box.querySelector(".way").innerHTML = "";
    this.draw();
    this.fit();
  }

  /* The path of a term, in the picture, in words and as a table. */
  ask(text) {
    const term = Number(text), {order} = this;
    if (text === "" || !Number.isInteger(term) || term < 0 || term >= order.terms)
      return this.say(`Give a term from 0 to ${order.terms - 1}.`);
    const path = order.find(term);
    if (!path)
      return this.say(`Term ${term} lies in a part that is too irregular to be held by this page.`);
    this.form.leaf.value = term;
    this.outline.follow(path);
    const depth = path.reduce((sum, frame) => sum + order.passed(frame), 0);
    const fused = path.some((frame) => order.shapes[frame.shape].operands > 2);
    this.say(`Term ${term} passes ${plural(depth, fused ? "sum" : "addition")} on its path to the result.`);
    this.tell(path, depth);
    this.draw();
    this.frameAll();
    this.onAsk && this.onAsk(term);
  }

  /* From the term to the result: a row for each addition, or for those of a chain. */
  tell(path, depth) {
    const {order} = this, rows = [];
    let passed = 0;
    for (const frame of path.slice(0, -1).reverse()) {
      const s = order.shapes[frame.shape], count = order.passed(frame);
      const node = order.node(frame.shape, frame.low), from = Math.max(frame.leave, 1);
      const what = s.steps <= 1 ? "addition" : count === 1 ? `addition ${grouped(from)} of a chain`
        : `additions ${grouped(from)} … ${grouped(s.steps)} of a chain`;
      rows.push([depth - passed - 1, s.operands > 2 ? what.replace("addition", "fused sum") : what, count,
        `${plural(s.leaves, "term")} ${order.range(node)}`, order.words(s.kind)]);
      passed += count;
    }
    const cut = rows.length > MOST_ROWS ? rows.length - MOST_ROWS : 0;
    const shown = cut ? [...rows.slice(0, MOST_ROWS / 2), null, ...rows.slice(-MOST_ROWS / 2)] : rows;
    const line = (row) => row
      ? `<tr>${row.map((cell, i) => `<td>${i === 2 ? grouped(cell) : escaped(cell)}</td>`).join("")}</tr>`
      : `<tr><td colspan="5">… ${plural(cut, "more row")} …</td></tr>`;
    this.box.querySelector(".way").innerHTML = rows.length === 0 ? "" : `<table><caption>From term ${
      path[path.length - 1].low} to the result</caption><thead><tr><th>Depth</th><th>What adds it</th>
      <th>Count</th><th>Sum of</th><th>Arithmetic</th></tr></thead><tbody>${
      shown.map(line).join("")}</tbody></table>`;
  }
}

/* ---- the page ---- */

const views = new Map();
function viewOf(section) {
  if (!views.has(section))
    views.set(section, new View(section));
  return views.get(section);
}

const hash = () => new URLSearchParams(location.hash.slice(1));
function remember(name, value) {
  const now = hash();
  now.set(name, value);
  try {
    history.replaceState(null, "", `#${now.toString().replace(/%2C/g, ",")}`);
  } catch {} /* some readers of local files do not allow it */
}

function startOrder() {
  const view = viewOf(document.querySelector("section.order"));
  view.onAsk = (term) => remember("leaf", term);
  const follow = () => hash().has("leaf") && view.ask(hash().get("leaf"));
  addEventListener("hashchange", follow);
  follow();
}
