"""Is the file a page that stands alone, with this text and no markup from elsewhere?

check_page.py FILE TEXT...: status 0 if it is."""

import html.parser
import sys

ALLOWED = set("html head meta style title body h1 h2 p pre div span table thead tbody tr th td ul "
              "li a".split())
ATTRIBUTES = set("lang charset name content http-equiv class id href style title".split())


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.targets, self.links = [], [], set(), set()

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED, f"<{tag}>"
        for name, value in attrs:
            assert name in ATTRIBUTES, f"{tag} {name}"
            assert name != "href" or value.startswith("#"), value
            if name == "id":
                assert value not in self.targets, f"{value} twice"
                self.targets.add(value)
            if name == "href":
                self.links.add(value[1:])
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> in {self.open}"

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data):
        self.text.append(data)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    assert page.links <= page.targets, page.links - page.targets
    assert "://" not in text.split("<body>")[0], "the network"
    assert max(map(len, text.splitlines())) < 20000, "a line that was not cut"
    shown = "".join(page.text)
    for wanted in sys.argv[2:]:
        assert wanted in shown, f"{wanted} is missing"


main()
