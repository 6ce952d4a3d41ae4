#!/usr/bin/env python3
"""Pages of orders and maps: what is in the file, and what a real browser makes of it.

test_pages.py ACCORD [--no-browser]. The first part needs no browser: the page stands alone, and its
data is exactly the order. Without a browser, or where none is wanted, the second part is skipped."""

import html.parser
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import browser  # noqa: E402
import trials  # noqa: E402

ACCORD = sys.argv[1]
HOSTILE = "</script></title><script>window.hacked = 1</script><img src=x onerror='hacked=1'>\"&amp;\u202e\u2028"
TAGS = set("html head meta style title body h1 h2 p b bdi code div section span noscript script table "
           "tbody tr th td ul li button svg g path rect circle text".split())
done = 0


def case(name, problem=None, skip=None):
    """A line of TAP."""
    global done
    done += 1
    print(f"{'not ok' if problem else 'ok'} {done} - {name}{f' # SKIP {skip}' if skip else ''}", flush=True)
    if problem:
        print(f"# {problem}", flush=True)


def check(name, test, *args):
    """A case that must not raise."""
    try:
        test(*args)
    except Exception as error:  # whatever it is, the case says so
        case(name, f"{type(error).__name__}: {error}".replace("\n", " ")[:600])
    else:
        case(name)


def accord(*args, text=None, fails=None):
    """What the command writes."""
    got = subprocess.run([ACCORD, *args], input=text, capture_output=True, text=True, check=False,
                         env=dict(os.environ, OPENBLAS_CORETYPE="Haswell"))
    if fails is not None:
        assert got.returncode == fails, (got.returncode, got.stderr)
        return got.stderr
    assert got.returncode == 0, got.stderr
    return got.stdout


# ---- orders ----

def random_order(terms, widest, seed):
    """Brackets of a tree without any regularity."""
    draw, parts = random.Random(seed), [str(i) for i in range(terms)]
    draw.shuffle(parts)
    while len(parts) > 1:
        width = min(draw.randint(2, widest), len(parts))
        chosen = [parts.pop(draw.randrange(len(parts))) for _ in range(width)]
        parts.append(f"({'+'.join(chosen)})")
    return parts[0]


def depths(brackets):
    """The number of sums above each term."""
    depth, out = 0, {}
    for piece in re.findall(r"[()]|\d+", brackets):
        depth += (piece == "(") - (piece == ")")
        if piece.isdigit():
            out[int(piece)] = depth
    return out


ORDERS = {
    "one term": "0",
    "two terms": "(0+1)",
    "NumPy": "1000: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)",
    "chain": "300: chain",
    "chain from the end": "300: chain back",
    "halves": "512: halves",
    "lanes": "1000: lanes 32; halves",
    "stages": "1000: (lanes 64 of 960; lanes 8 in 16s of 64; lanes 32; lanes 8; halves) of 992; "
              "chain of last 8; chain",
    "fused": "1009: fuse 16",
    "fused chain": "1000: add 4",
    "one fused sum": "700: fuse",
    "fused lanes": "4096: lanes 16 (fuse 4); fuse",
    "blocks back": "600: chain back in 50s; chain back",
    "irregular": random_order(40, 2, 1),
    "irregular, fused": random_order(200, 5, 2),
    "irregular, large": random_order(3000, 3, 3),
}


class Page(html.parser.HTMLParser):
    """A page that stands alone; what is not allowed is an error."""

    def __init__(self, path):
        super().__init__()
        self.open, self.text, self.data, self.scripts, self.ids = [], [], [], [], set()
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        self.feed(whole)
        self.close()
        assert self.open == [], self.open
        assert "://" not in re.sub("xmlns=\"http://www.w3.org/2000/svg\"", "", whole), "an address"
        assert len(self.scripts) == 1, "one script"
        assert "default-src 'none'" in whole and "'sha256-" in whole, "no policy"

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, f"<{tag}>"
        names = [name for name, _ in attrs]
        assert not any(n.startswith("on") or n in ("src", "href") for n in names), attrs
        if "id" in names:
            assert dict(attrs)["id"] not in self.ids, attrs
            self.ids.add(dict(attrs)["id"])
        if tag != "meta":
            self.open.append((tag, dict(attrs).get("type")))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop()[0] == tag, f"</{tag}>"

    def handle_comment(self, data):
        raise AssertionError("a comment")

    def handle_data(self, data):
        inside = self.open[-1] if self.open else (None, None)
        if inside[0] == "script":
            (self.data if inside[1] else self.scripts).append(data)
        elif inside[0] != "style":
            self.text.append(data)


def brackets_of(data):
    """The order that the data of a page stands for. Parts come before what they are parts of."""
    shapes = []

    def at(part, shift):
        low, made = 0, shapes[part]
        return made(shift + low)

    def join(parts):
        parts.sort(key=lambda part: part[0])
        return parts[0][0], f"({'+'.join(text for _, text in parts)})"

    def maker(row):
        steps, stride = row[4:6]
        groups = [row[i:i + 4] for i in range(6, len(row), 4)]

        def copies(some, low):
            return [at(shape, low + shift + i * gap) for shape, shift, count, gap in some
                    for i in range(count)]

        def make(low):
            if steps == 0:
                return low, str(low)
            if steps == 1:
                return join(copies(groups, low))
            total = copies(groups[:1], low)[0]
            for step in range(steps):
                total = join([total, *copies(groups[1:], low + step * stride)])
            return total
        return make

    for row in data["shapes"]:
        assert row[4] >= 0, "a part is left out"
        shapes.append(maker(row))
    return shapes[-1](0)[1]


def check_order(path, order, brackets):
    page = Page(path)
    data = json.loads(page.data[0])
    assert data["terms"] == len(depths(brackets))
    assert brackets_of(data) == brackets, "another order"
    shown = "".join(page.text)
    if ":" in order:
        canonical = accord("show", order, "-O", "report")
        assert re.search(r"notation +(.*)", canonical).group(1)[:20] in shown, "no notation"
    assert "The order: " in shown


def hostile_record():
    record = json.loads(accord("show", "40: lanes 8; halves", "--json"))
    record.setdefault("question", {}).update(target=HOSTILE, library=HOSTILE, n=40, cpu="\x07\x1b[1m")
    record.setdefault("answer", {}).update(verdict=HOSTILE, status="ok", reason=HOSTILE)
    return json.dumps(record)


def check_hostile(path):
    page = Page(path)
    assert page.ids == {"order"}
    assert "window.hacked = 1" in "".join(page.text), "not shown"
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    assert "\x1b" not in whole and "\x07" not in whole
    assert "<img" not in whole and whole.count("<script") == 2


def check_large(path, notation):
    accord("show", notation, "-O", "html", "-o", path)
    assert os.path.getsize(path) < 100000, os.path.getsize(path)
    Page(path)
    picture = accord("show", notation, "-O", "svg")
    assert len(picture) < 30000 and "×" in picture, len(picture)
    assert len(accord("show", "1000: chain", "-O", "svg", "--expand")) > 100000


def make_pages(folder):
    pages = {}
    for i, (name, order) in enumerate(ORDERS.items()):
        source, path = os.path.join(folder, f"{i}.order"), os.path.join(folder, f"{i}.html")
        with open(source, "w", encoding="ascii") as file:
            file.write(order)
        accord("show", source, "-O", "html", "-o", path)
        brackets = accord("show", source, "-O", "text").strip()
        pages[name] = path, brackets
        check(f"page: {name}", check_order, path, order, brackets)
    return pages


# ---- in a browser ----

SECTION = "document.querySelector('section.order:not([hidden])')"
VIEW = f"views.get({SECTION})"


def said(b):
    return b.value(f"{SECTION}.querySelector('.said').textContent")


def items(b, where=""):
    return b.value(f"{SECTION}.querySelectorAll('.view [data-item]{where}').length")


def check_ways(b, path, brackets):
    """The paths of some terms: its length, its table, and what the picture shows of it."""
    b.open(path)
    right = depths(brackets)
    step = max(1, len(right) // 12)
    terms = sorted({*range(0, len(right), step), len(right) - 1})
    answers = b.value(f"""{terms}.map((term) => {{ const view = {VIEW}, box = {SECTION};
        view.ask(term);
        return [box.querySelector('.said').textContent,
          [...box.querySelectorAll('.way tbody tr')].map((r) => [...r.children].map((c) => c.textContent)),
          view.items.filter((i) => i.way).map((i) => [i.kind, i.leaves, i.node.low])]; }})""")
    for term, (text, cells, drawn) in zip(terms, answers):
        passed = int(re.search(r"passes ([\d,]+) (addition|sum)", text).group(1).replace(",", ""))
        assert passed == right[term], (term, passed, right[term])
        if passed > 0 and all(len(row) == 5 for row in cells):
            counts = [int(row[2].replace(",", "")) for row in cells]
            assert sum(counts) == passed, cells
            deep = [int(row[0]) for row in cells]
            assert deep == [sum(counts[i:]) - 1 for i in range(len(counts))], cells
        last = drawn[-1]
        assert last[0] in ("term", "box") and (last[0] == "box" or last[2] == term), (term, drawn)
        assert sorted((d[1] for d in drawn), reverse=True) == [d[1] for d in drawn], drawn
    assert b.faults() == [], b.faults()


def check_terms(b, path):
    """What is drawn stands for all terms, whatever is opened."""
    b.open(path)
    count = (f"{VIEW}.items.filter((i) => i.kids.length === 0).reduce((sum, i) => {{ let all = i.leaves * "
             "i.times; for (let k = i.above; k; k = k.above) all *= k.times; return sum + all; }, 0)")
    terms, draw = b.value(f"{VIEW}.order.terms"), random.Random(5)
    for _ in range(30):
        assert b.value(count) == terms, (b.value(count), terms)
        b.value(f"{VIEW}.use({draw.randrange(items(b))}, {'true' if draw.random() < .2 else 'false'})")
        if draw.random() < .2:
            b.value(f"{VIEW}.ask({draw.randrange(terms)})")
    assert b.value(count) == terms
    assert b.faults() == [], b.faults()


def check_reader(b, path):
    """Buttons, mouse and keys."""
    b.open(path)
    box = f"{SECTION}.querySelector('.view > svg').getAttribute('viewBox')"
    assert items(b, ".b") > 0 and items(b, ".t") > 0
    views = [b.value(box)]
    for act in (lambda: b.click("[data-do=in]"), lambda: b.click("[data-do=out]"),
                lambda: b.click("[data-do=fit]")):
        act()
        views.append(b.value(box))
    assert views[1] != views[0] and views[3] == views[0], views
    before = items(b)
    b.click(".view .b")
    opened = items(b)
    assert opened > before, (before, opened)
    b.value("document.activeElement.blur()")
    b.value(f"{SECTION}.querySelector('.view .n').focus()")
    b.key("Backspace")
    assert items(b) < opened, "not closed"
    b.key("Enter", "\r")
    assert items(b) == opened, "not opened again"
    b.key("ArrowRight")
    b.key("+", "+")
    assert b.value(box) != views[0]
    b.click("[name=leaf]")
    for digit in "717":
        b.key(digit, digit)
    b.key("Enter", "\r")
    assert "Term 717 passes" in said(b), said(b)
    assert b.value("location.hash") == "#leaf=717"
    assert items(b, ".on") > 3
    b.value(f"{VIEW}.ask('1000')")
    assert said(b) == "Give a term from 0 to 999."
    b.click("[data-do=all]")
    assert items(b, ".t") == 1000
    b.click("[data-do=reset]")
    assert items(b) == before
    assert b.faults() == [], b.faults()


def check_scripts(b, path):
    b.open(path)
    assert b.value("window.hacked") is None
    assert b.value("document.querySelectorAll('img').length") == 0
    assert "window.hacked" in b.value("document.title")
    assert b.faults() == [], b.faults()
    b.value("(() => { const s = document.createElement('script'); s.textContent = 'window.bad = 1'; "
            "document.body.append(s); })()")
    assert b.value("window.bad") is None, "the policy allows scripts"


def check_taste(b, path):
    color = "getComputedStyle(document.body).backgroundColor"
    b.open(path)
    seen = []
    for dark in (False, True):
        b.dark(dark)
        seen.append(b.value(color))
    b.dark(False)
    assert seen[0] == "rgb(255, 255, 255)" and seen[1] != seen[0], seen
    for width in (320, 760, 1600):
        b.size(width, 800)
        assert b.value("document.documentElement.scrollWidth <= innerWidth"), f"wider than {width}"
    b.size(1200, 900)


def check_touch(b, path):
    """Two fingers that part and meet again, and one that moves."""
    b.open(path)
    box = f"{SECTION}.querySelector('.view > svg').getAttribute('viewBox')"
    x, y = b.value(f"""(() => {{ const r = {SECTION}.querySelector('.view > svg').getBoundingClientRect();
        return [r.x + r.width / 2, r.y + Math.min(r.height, innerHeight - r.y) / 2]; }})()""")
    b.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)

    def drag(*frames):
        """Each frame has the places of the fingers."""
        for i, fingers in enumerate(frames):
            points = [{"x": x + dx, "y": y + dy, "id": k} for k, (dx, dy) in enumerate(fingers)]
            b.call("Input.dispatchTouchEvent", type="touchMove" if i else "touchStart", touchPoints=points)
        b.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        return [float(number) for number in b.value(box).split()]

    first = [float(number) for number in b.value(box).split()]
    apart = drag(*[[(-d, 0), (d, 0)] for d in (40, 60, 90, 120)])
    assert abs(first[2] / apart[2] - 3) < .1, (first, apart)
    middle = [[v[0] + v[2] / 2, v[1] + v[3] / 2] for v in (first, apart)]
    assert all(abs(p - q) < .05 * first[2] for p, q in zip(*middle)), middle
    back = drag(*[[(-d, 0), (d, 0)] for d in (120, 90, 60, 40)])
    assert abs(back[2] - first[2]) < .05 * first[2], (first, back)
    moved = drag([(0, 0)], [(30, 10)], [(60, 20)])
    assert moved[2] == back[2] and moved[0] < back[0] and moved[1] < back[1], (back, moved)
    b.call("Emulation.setTouchEmulationEnabled", enabled=False)
    assert b.faults() == [], b.faults()


def check_print(b, path):
    """On paper a page is light, and has no buttons; what it says stays."""
    b.open(path)
    shown = "[...document.querySelectorAll('.tools')].filter((t) => t.getClientRects().length).length"
    said_before = b.value("document.querySelector('h1').textContent")
    assert b.value(shown) > 0
    b.call("Emulation.setEmulatedMedia", media="print",
           features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert b.value(shown) == 0
    assert b.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert b.value("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert b.value("document.querySelector('h1').textContent") == said_before
    page = b.call("Page.printToPDF", printBackground=True)["data"]
    assert len(page) > 4000 and page.startswith("JVBERi0"), page[:20]
    b.call("Emulation.setEmulatedMedia", media="", features=[])
    b.dark(False)
    assert b.faults() == [], b.faults()


def check_million(b, path):
    accord("show", "1000000: chain", "-O", "html", "-o", path)
    b.open(path)
    for term, depth in ((0, 999999), (1, 999999), (2, 999998), (777777, 222223), (999999, 1)):
        b.value(f"{VIEW}.ask({term})")
        assert f"Term {term} passes {depth:,} addition" in said(b), said(b)
    assert items(b) < 60
    assert b.faults() == [], b.faults()


def check_map(b, path):
    Page(path)
    b.open(path, "#element=0,9&leaf=3")
    told = "document.querySelector('.grid .said').textContent"
    shown = "[...document.querySelectorAll('section.order')].filter((s) => !s.hidden).map((s) => s.id)"
    assert b.value(told) == "Element 0,9 belongs to class B.", b.value(told)
    assert b.value(shown) == ["class-1"] and "Term 3 passes" in said(b), b.value(shown)
    b.value("document.querySelector('.grid canvas').focus()")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown"):
        b.key(key)
    assert b.value(told) == "Element 1,7 belongs to class A.", b.value(told)
    assert b.value(shown) == ["class-0"]
    b.click(".classes [data-class='1']")
    assert b.value(told) == "Element 0,8 belongs to class B.", b.value(told)
    # The canvas in the middle of an element: 7 rows of 13, in the frame's middle.
    x, y = b.value("""(() => { const c = document.querySelector('.grid canvas'); c.scrollIntoView({block: 'center'});
        const r = c.getBoundingClientRect(), s = Math.min((r.width - 20) / 13, (r.height - 20) / 7, 36);
        return [r.x + r.width / 2 - 6 * s, r.y + r.height / 2 + 3 * s]; })()""")
    b.click_at(x, y)
    assert b.value(told) == "Element 6,0 belongs to class B.", b.value(told)
    b.key("Enter")
    assert b.value("document.querySelectorAll('.classes button[aria-pressed=true]').length") == 1
    for text, wanted in (("7,0", "up to 6,12"), ("x", "up to 6,12"), ("3,3", "class A")):
        b.value(f"document.querySelector('[name=element]').value = '{text}'")
        b.click(".grid form button:not([data-do])")
        assert wanted in b.value(told), b.value(told)
    assert b.faults() == [], b.faults()


def browse(folder, pages, product):
    names = ["the paths of terms", "what is drawn", "buttons, mouse and keys", "hostile names",
             "light, dark and narrow", "a million terms", "a map", "touch", "paper"]
    unwanted = "--no-browser" in sys.argv
    if unwanted or not browser.program():
        for name in names:
            case(f"browser: {name}", skip="not wanted" if unwanted else "no Chromium (Debian: chromium)")
        return
    with browser.Browser() as b:
        for name, (path, brackets) in pages.items():
            check(f"browser: {names[0]}: {name}", check_ways, b, path, brackets)
        for name in ("NumPy", "stages", "fused", "one fused sum", "chain from the end", "irregular, fused"):
            check(f"browser: {names[1]}: {name}", check_terms, b, pages[name][0])
        check(f"browser: {names[2]}", check_reader, b, pages["NumPy"][0])
        check(f"browser: {names[3]}", check_scripts, b, os.path.join(folder, "hostile.html"))
        check(f"browser: {names[4]}", check_taste, b, pages["stages"][0])
        check(f"browser: {names[5]}", check_million, b, os.path.join(folder, "million.html"))
        if product:
            check(f"browser: {names[6]}", check_map, b, product)
        else:
            case(f"browser: {names[6]}", skip="no OpenBLAS")
        check(f"browser: {names[7]}", check_touch, b, pages["NumPy"][0])
        for path in [pages["NumPy"][0], *([product] if product else [])]:
            check(f"browser: {names[8]}", check_print, b, path)


def main():
    with tempfile.TemporaryDirectory() as folder:
        pages = make_pages(folder)
        hostile = os.path.join(folder, "hostile.html")
        accord("show", "-", "-O", "html", "-o", hostile, text=hostile_record())
        check("page: hostile names", check_hostile, hostile)
        many = "10000000" if trials.SCALE >= 1 else "1000000"
        check(f"page: {many} terms", check_large, os.path.join(folder, "large.html"), f"{many}: lanes 32; halves")
        check("page: of several orders", lambda: accord("reveal", "synthetic:pairwise", "-n", "4,8", "-O",
                                                        "html", fails=2))
        product = os.path.join(folder, "map.html")
        got = subprocess.run([ACCORD, "map", "blas:sgemm@openblas", "--shape", "7x13x24", "-q", "-O",
                              "html", "-o", product], capture_output=True, check=False,
                             env=dict(os.environ, OPENBLAS_CORETYPE="Haswell"))
        if got.returncode == 4:
            product = None
            case("page: a map", skip="no OpenBLAS")
        else:
            check("page: a map", Page, product)
        browse(folder, pages, product)
    print(f"1..{done}")


main()
