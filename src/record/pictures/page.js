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
    const high = node.low + s.span - 1;
    if (whole && s.leaves === 2)
      return `${node.low} and ${high}`;
    if (whole)
      return s.span === s.leaves ? `${node.low} … ${high}` : `between ${node.low} and ${high}`;
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
