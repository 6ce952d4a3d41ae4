/* ---- a drawing that the reader moves and enlarges ---- */

/* `at` is the corner of what is seen, and `scale` the pixels to a unit. Beside what is here it has `box`,
 * where it stands, `form` with its buttons, and the methods look, fit, click and key. */
class Movable {
  /* From now on the element, in which it is drawn, and its buttons do what the reader wants. */
  watch(element, least, most) {
    Object.assign(this, {element, least, most});
    element.addEventListener("keydown", (event) => this.key(event));
    this.form.addEventListener("click", (event) => {
      const does = event.target.dataset.do;
      if (does === "in" || does === "out")
        this.zoom(does === "in" ? 1.4 : 1 / 1.4);
      else if (does === "fit")
        this.fit();
    });
    new ResizeObserver(() => this.resize()).observe(element);
    this.watchPointers(element);
  }

  watchPointers(element) {
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
        this.zoom(apart(now) / apart(was), (now[0] + ox) / 2 - box.left, (now[1] + oy) / 2 - box.top);
      }
      this.move(other ? dx / 2 : dx, other ? dy / 2 : dy);
    });
    for (const name of ["pointerup", "pointercancel"])
      element.addEventListener(name, (event) => fingers.delete(event.pointerId));
    element.addEventListener("click", (event) => moved <= 4 && this.click(event));
    /* The wheel scrolls the page unless the reader is at work here. */
    element.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && !element.contains(document.activeElement))
        return;
      event.preventDefault();
      const box = element.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    }, {passive: false});
  }

  /* What the reader did not move goes on to fit. */
  resize() {
    this.moved ? this.look() : this.fit();
  }

  /* What is at this point of the element stays there. */
  zoom(factor, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2) {
    const scale = Math.min(Math.max(this.scale * factor, this.least), this.most);
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

  /* Whether that is a key for zoom, which is done then. */
  zoomed(key) {
    if (key === "+" || key === "=" || key === "-")
      this.zoom(key === "-" ? 1 / 1.2 : 1.2);
    else if (key === "0")
      this.fit();
    return ["+", "=", "-", "0"].includes(key);
  }

  say(text) {
    this.box.querySelector(".said").textContent = text;
  }
}
