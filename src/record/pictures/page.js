"use strict";
/* Draws the orders of this page and answers questions about them.
 *
 * An order comes as a list of shapes, each once (page_data.c says how). A node of the order is a
 * shape, the place of its smallest term, and, of a chain, the number of its steps so far. What is
 * drawn follows from the shapes and from what the reader opened; nothing else is kept. */

const EACH = 4, ROW = 84, RADIUS = 13, LETTER = 7, MOST_ITEMS = 48, MOST_ALL = 2000, SMALL = 64, SHALLOW = 12,
  MOST_ROWS = 60, MOST_OPENED = 40, MOST_COPIES = 8,
  LEGIBLE = 0.5;

const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const plural = (count, word) => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/* ---- the order ---- */

class Order {
  constructor(data) {
    this.terms = data.terms;
    this.kinds = data.kinds;
    this.shapes = data.shapes.map((row) => {
      const shape = {leaves: row[0], span: row[1], depth: row[2], kind: row[3], steps: row[4],
        stride: row[5], groups: []};
      for (let i = 6; i < row.length; i += EACH)
        shape.groups.push({shape: row[i], shift: row[i + 1], count: row[i + 2], gap: row[i + 3]});
      shape.operands = shape.groups.reduce((sum, g) => sum + g.count, 0);
      return shape;
    });
    this.root = this.node(this.shapes.length - 1, 0);
  }

  node(shape, low, step = Math.max(this.shapes[shape].steps, 0)) {
    return {shape, low, step};
  }

  /* Terms that one step of a chain adds. */
  added(shape) {
    return shape.groups.slice(1).reduce((sum, g) => sum + g.count * this.shapes[g.shape].leaves, 0);
  }

  size({shape, step}) {
    const s = this.shapes[shape];
    return s.steps > 1 ? s.leaves - (s.steps - step) * this.added(s) : s.leaves;
  }

  /* The groups of parts that the node itself adds; of a chain, without the sum so far. */
  parts({shape, low, step}) {
    const s = this.shapes[shape], chain = s.steps > 1;
    const at = low + (chain ? (step - 1) * s.stride : 0);
    return (chain ? s.groups.slice(1) : s.groups).map((g) => ({...g, low: at + g.shift}));
  }

  /* The sum so far of a chain, after `step` steps. */
  before({shape, low}, step) {
    const start = this.shapes[shape].groups[0];
    return step > 0 ? {shape, low, step} : this.node(start.shape, low + start.shift);
  }

  first({shape, low, step}) {
    const s = this.shapes[shape];
    if (s.steps <= 1 || step === s.steps)
      return low;
    return Math.min(low + s.groups[0].shift, ...s.groups.slice(1).map(
      (g) => low + g.shift + Math.min(0, (step - 1) * s.stride)));
  }

  /* "8 … 120", or nothing for terms with gaps between them. */
  range(node) {
    const s = this.shapes[node.shape];
    if (this.size(node) === 1)
      return `${node.low}`;
    const whole = s.steps <= 1 || node.step === s.steps;
    if (whole)
      return s.span === s.leaves ? `${node.low} … ${node.low + s.span - 1}`
        : `between ${node.low} and ${node.low + s.span - 1}`;
    return `from ${this.first(node)} on`;
  }

  /* Parts of a shape that may hold the term: [shape, shift, step]. */
  *holders(shape, term) {
    const s = this.shapes[shape];
    for (let g = 0; g < s.groups.length; g++) {
      const group = s.groups[g], span = this.shapes[group.shape].span;
      const steps = s.steps > 1 && g > 0 ? s.steps : 1;
      for (let copy = 0; copy < group.count; copy++) {
        const at = group.shift + copy * group.gap;
        if (steps === 1) {
          const skipped = Math.floor((term - at - span) / group.gap);
          if (skipped > 0)
            copy += skipped - 1;
          else if (term >= at && term < at + span)
            yield [group.shape, at, s.steps > 1 && g > 0 ? 1 : 0];
          if (term < at)
            break;
          continue;
        }
        const ends = [(term - at) / s.stride, (term - at - span + 1) / s.stride];
        const last = Math.min(Math.floor(Math.max(...ends)), steps - 1);
        for (let i = Math.max(Math.ceil(Math.min(...ends)), 0); i <= last; i++)
          yield [group.shape, at + i * s.stride, i + 1];
      }
    }
  }

  /* The way from the root down to a term: of each shape on it, its place and the step at which the
   * way leaves it (0: with what a chain starts from). Null if the page does not hold it. */
  find(term) {
    const path = [], dead = new Set();
    const enter = (shape, low) =>
      path.push({shape, low, leave: 0, next: this.holders(shape, term - low)});
    enter(this.root.shape, 0);
    while (path.length > 0) {
      const top = path[path.length - 1];
      if (this.shapes[top.shape].steps === 0) {
        if (top.low === term)
          return path;
        path.pop();
        continue;
      }
      const next = top.next.next();
      if (next.done) {
        dead.add(`${top.shape}:${top.low}`);
        path.pop();
        continue;
      }
      const [shape, shift, step] = next.value;
      top.leave = step;
      if (!dead.has(`${shape}:${top.low + shift}`))
        enter(shape, top.low + shift);
    }
    return null;
  }

  /* Additions that a term passes in a shape that it leaves downward at this step. */
  passed({shape, leave}) {
    const s = this.shapes[shape];
    return s.steps > 1 ? s.steps - Math.max(leave, 1) + 1 : s.steps === 1 ? 1 : 0;
  }

  words(kind) {
    return kind ? this.kinds[kind - 1].words : "arithmetic not known";
  }

  mark(kind) {
    return kind ? this.kinds[kind - 1].mark : "";
  }
}

/* ---- what is drawn ---- */

const keyOf = ({shape, low}) => `${shape}:${low}`;

class Outline {
  constructor(order) {
    this.order = order;
    this.reset(this.isSmall());
  }

  /* Small enough to be drawn whole at first. */
  isSmall() {
    return this.order.terms <= SMALL && this.order.shapes[this.order.root.shape].depth <= SHALLOW;
  }

  reset(all) {
    this.all = all;
    this.opened = new Set(); /* parts that are not boxes */
    this.split = new Map();  /* nodes whose copies stand for themselves: places of single ones */
    this.cuts = new Map();   /* chains: steps that stand for themselves */
    this.path = [];
    this.way = new Map();
    if (!all)
      this.openLargest(MOST_ITEMS);
  }

  openLargest(most) {
    for (;;) {
      const items = this.items(), shown = new Set(items.filter((i) => i.open).map((i) => i.shape));
      const boxes = items.filter((i) => i.kind === "box" && !shown.has(i.shape) && !i.missing);
      if (items.length >= most || boxes.length === 0)
        return;
      boxes.sort((a, b) => b.leaves - a.leaves || a.node.low - b.node.low);
      this.opened.add(keyOf(boxes[0].node));
    }
  }

  /* All items, parents before children. */
  items() {
    const list = [this.item(this.order.root, 1, 0)];
    for (let i = 0; i < list.length; i++)
      list.push(...list[i].kids);
    return list;
  }

  onWay(node) {
    const frame = this.way.get(keyOf(node));
    return frame !== undefined && (node.step >= frame.leave);
  }

  /* `times` copies of a node. */
  item(node, times, gap) {
    const s = this.order.shapes[node.shape];
    const item = {node, times, gap, shape: node.shape, leaves: this.order.size(node), kind: "term",
      label: s.kind, operands: s.operands, kids: [], open: false, text: "", steps: 1,
      way: times === 1 && this.onWay(node)};
    if (s.steps === 0) {
      item.text = this.termText(item);
      return item;
    }
    if (s.steps < 0 || !(this.all !== this.opened.has(keyOf(node)))) {
      item.kind = "box";
      item.missing = s.steps < 0;
      item.text = plural(item.leaves, "term") + (times === 1 ? `: ${this.order.range(node)}` : "");
      return item;
    }
    item.open = true;
    item.kind = "sum";
    if (s.steps > 1)
      this.chain(item, s);
    else if (s.groups.length === 1 && !this.all && !this.split.has(keyOf(node)))
      this.fold(item, s);
    else
      item.kids = this.order.parts(node).flatMap((g) => this.group(node, g));
    for (const kid of item.kids)
      kid.above = item;
    return item;
  }

  termText({node, times, gap}) {
    if (times === 1)
      return `${node.low}`;
    if (gap === 0)
      return `${node.low}, …`;
    const last = node.low + gap * (times - 1);
    return times === 2 ? `${node.low}, ${last}`
      : `${node.low}, ${node.low + gap}, ${times > 3 ? "… " : ""}${last}`;
  }

  /* The copies in a group, together or, where the node is split, some of them alone. */
  group(node, g) {
    const single = (low) => this.item(this.order.node(g.shape, low), 1, 0);
    const chosen = this.split.get(keyOf(node));
    if (g.count === 1)
      return [single(g.low)];
    if (this.all || (chosen && g.count <= MOST_COPIES))
      return Array.from({length: g.count}, (_, i) => single(g.low + i * g.gap));
    if (!chosen)
      return [this.item(this.order.node(g.shape, g.low), g.count, g.gap)];
    const alone = new Set([0, g.count - 1]);
    for (const low of chosen)
      if ((low - g.low) % g.gap === 0 && low >= g.low && low < g.low + g.count * g.gap)
        alone.add((low - g.low) / g.gap);
    const kids = [];
    let from = 0;
    for (const i of [...alone].sort((a, b) => a - b)) {
      if (i > from)
        kids.push(this.item(this.order.node(g.shape, g.low + from * g.gap), i - from, g.gap));
      kids.push(single(g.low + i * g.gap));
      from = i + 1;
    }
    return kids;
  }

  /* Steps of a chain down to the next one that stands for itself. */
  chain(item, s) {
    const {node} = item, cuts = this.cuts.get(keyOf(node)) || new Set();
    const end = cuts.has(node.step) || this.all ? node.step - 1
      : Math.max(0, ...[...cuts].filter((step) => step < node.step));
    const steps = node.step - end > 2 ? node.step - end : 1;
    item.steps = steps;
    item.kids = [this.item(this.order.before(node, node.step - steps), 1, 0)];
    if (steps === 1) {
      item.kids.push(...this.order.parts(node).flatMap((g) => this.group(node, g)));
      return;
    }
    item.kind = "chain";
    item.way = item.way && end >= this.way.get(keyOf(node)).leave;
    item.text = plural(steps, s.operands > 2 ? "fused sum" : "addition");
    for (const g of this.order.parts({...node, step: end + 1})) {
      const gap = g.count === 1 ? s.stride : g.count * g.gap === s.stride ? g.gap : 0;
      item.kids.push(this.item(this.order.node(g.shape, g.low), steps * g.count, gap));
    }
  }

  /* Equal parts, level upon level. */
  fold(item, s) {
    let shape = item.node.shape, times = 1, levels = 0, below = s;
    while (below.steps === 1 && below.groups.length === 1 && below.operands === s.operands &&
           below.kind === s.kind) {
      times *= s.operands;
      levels++;
      shape = below.groups[0].shape;
      below = this.order.shapes[shape];
    }
    item.kind = levels > 1 ? "fold" : "sum";
    item.steps = levels;
    item.text = levels > 1 ? plural(levels, "level") : "";
    item.kids = [this.item(this.order.node(shape, item.node.low), times,
      levels === 1 ? s.groups[0].gap : 0)];
  }

  /* What a click does: opens a box, unrolls a chain, unfolds levels, else closes. */
  use(item) {
    const key = keyOf(item.node);
    if (item.kind === "box")
      return this.toggle(key);
    if (item.kind === "chain") {
      const cuts = this.cuts.get(key) || new Set(), top = item.node.step;
      const all = item.steps <= MOST_COPIES;
      for (let i = 0; i < item.steps; i += all ? 1 : item.steps - 1)
        cuts.add(top - i);
      return this.cuts.set(key, cuts);
    }
    if (item.kids.some((kid) => kid.times > 1) && !this.split.has(key))
      return this.split.set(key, new Set());
    return this.close(item);
  }

  close(item) {
    const key = keyOf(item.node);
    if (this.split.delete(key) || this.cuts.delete(key))
      return;
    this.toggle(key);
  }

  toggle(key) {
    if (!this.opened.delete(key))
      this.opened.add(key);
  }

  /* Opens the way to a term, as far as it can be looked at, and marks it. */
  follow(path) {
    this.path = path;
    this.way = new Map(path.map((frame) => [keyOf(frame), frame]));
    path.slice(0, -1).slice(0, MOST_OPENED).forEach((frame, i) => {
      const key = keyOf(frame), s = this.order.shapes[frame.shape], next = path[i + 1];
      if (this.all)
        this.opened.delete(key);
      else
        this.opened.add(key);
      if (s.steps > 1 && frame.leave > 0)
        this.cuts.set(key, new Set([...(this.cuts.get(key) || []), frame.leave]));
      if (s.groups.some((g) => g.count > 1))
        this.split.set(key, new Set([...(this.split.get(key) || []), next.low]));
    });
  }
}

/* ---- zoom and pan, of whatever has `zoom`, `move`, `fit` and `click` ---- */

function movable(element, view) {
  const fingers = new Map();
  let moved = 0;
  element.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = 0;
  });
  element.addEventListener("pointermove", (event) => {
    const was = fingers.get(event.pointerId);
    if (!was)
      return;
    const now = [event.clientX, event.clientY], dx = now[0] - was[0], dy = now[1] - was[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved > 4 && !element.hasPointerCapture(event.pointerId))
      element.setPointerCapture(event.pointerId);
    const other = [...fingers].find(([id]) => id !== event.pointerId);
    fingers.set(event.pointerId, now);
    if (other) {
      const box = element.getBoundingClientRect(), [ox, oy] = other[1];
      const apart = (p) => Math.hypot(p[0] - ox, p[1] - oy) || 1;
      view.zoom(apart(now) / apart(was), (now[0] + ox) / 2 - box.left, (now[1] + oy) / 2 - box.top);
    }
    view.move(other ? dx / 2 : dx, other ? dy / 2 : dy);
  });
  for (const name of ["pointerup", "pointercancel"])
    element.addEventListener(name, (event) => fingers.delete(event.pointerId));
  element.addEventListener("click", (event) => moved <= 4 && view.click(event));
  /* The wheel scrolls the page unless the reader is at work here. */
  element.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !element.contains(document.activeElement))
      return;
    event.preventDefault();
    const box = element.getBoundingClientRect();
    view.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});
}

const zoomBy = (view, word) =>
  word === "in" ? view.zoom(1.4) : word === "out" ? view.zoom(1 / 1.4) : word === "fit" && view.fit();

/* ---- the drawing ---- */

class View {
  constructor(section) {
    this.section = section;
    this.order = new Order(JSON.parse(section.querySelector("script").textContent));
    this.outline = new Outline(this.order);
    this.box = section.querySelector(".view");
    this.box.innerHTML = `<form class="tools"><label>Term <input name="leaf" inputmode="numeric"
      size="10" placeholder="0 … ${this.order.terms - 1}"></label><button>Show its way</button>
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
        item.times > 1 ? "" : "; click to show its way"}`;
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

  /* ---- the part that is looked at: `at` is its corner, `scale` the pixels to a unit ---- */

  fit() {
    this.moved = false;
    const box = this.svg.getBoundingClientRect(), width = box.width || 800, height = box.height || 500;
    this.scale = Math.min(width / (this.width + 30), height / (this.height + 10), 1.4);
    this.at = [(this.width - width / this.scale) / 2, this.height * this.scale < height
      ? (this.height - height / this.scale) / 2 : 0];
    this.look();
  }

  /* What the reader did not move goes on to fit. */
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

  /* What is at this point of the drawing's box stays there. */
  zoom(factor, x = this.svg.clientWidth / 2, y = this.svg.clientHeight / 2) {
    const scale = Math.min(Math.max(this.scale * factor, 1e-3), 20);
    this.at = [this.at[0] + x / this.scale - x / scale, this.at[1] + y / this.scale - y / scale];
    this.scale = scale;
    this.moved = true;
    this.look();
  }

  move(dx, dy) {
    this.moved = true;
    this.at = [this.at[0] - dx / this.scale, this.at[1] - dy / this.scale];
    this.look();
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
    movable(this.svg, this);
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask(this.form.leaf.value.trim());
    });
    this.form.addEventListener("click", (event) => {
      const does = event.target.dataset.do;
      if (does === "all" || does === "reset")
        this.restart(does === "all");
      else
        zoomBy(this, does);
    });
    new ResizeObserver(() => this.resize()).observe(this.svg);
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
    else if (event.key === "+" || event.key === "=" || event.key === "-")
      this.zoom(event.key === "-" ? 1 / 1.2 : 1.2);
    else if (event.key === "0")
      this.fit();
    else
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

  say(text) {
    this.box.querySelector(".said").textContent = text;
  }

  /* The way of a term, in the picture, in words and as a table. */
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
    this.say(`Term ${term} passes ${plural(depth, fused ? "sum" : "addition")} on its way to the result.`);
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
