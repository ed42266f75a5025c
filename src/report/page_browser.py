"""A page as a browser draws it: for the tests of the pages."""
import html.parser
import math
import subprocess
import tempfile


class Node:
    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, attributes, []

    def all(self):
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.all()

    def find(self, tag=None, **wanted):
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in wanted.items()}

        def fits(node):
            if tag is not None and node.tag != tag:
                return False
            return all(value in node.attributes.get(name, "").split() if name == "class" else node.attributes.get(name) == value
                       for name, value in wanted.items())
        return [node for node in self.all() if fits(node)]

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


class Tree(html.parser.HTMLParser):
    void = {"meta", "link", "br", "img", "input", "hr"}

    def __init__(self, text):
        super().__init__()
        self.root = Node("root", {})
        self.open = [self.root]
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        node = Node(tag, {name: value or "" for name, value in attributes})
        self.open[-1].children.append(node)
        if tag not in self.void:
            self.open.append(node)

    def handle_endtag(self, tag):
        if any(node.tag == tag for node in self.open):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data):
        self.open[-1].children.append(data)


def digits(value, significant):
    if value == 0:
        return "0"
    return f"{value:.{max(0, significant - 1 - math.floor(math.log10(abs(value))))}f}"


def seconds(s, significant=4):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if s * scale >= 0.9995:
            return f"{digits(s * scale, significant)} {unit}"
    return f"{digits(s * 1e9, significant)} ns"


def drawn_by_browser(chromium, path, width=1400):
    """The document after its scripts have run; no error may have been logged."""
    with tempfile.TemporaryDirectory() as profile:
        shown = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--no-first-run", f"--user-data-dir={profile}", f"--window-size={width},2400",
             "--virtual-time-budget=5000", "--dump-dom", path if "://" in path else f"file://{path}"],
            capture_output=True, text=True, timeout=120)
    drawn = Tree(shown.stdout).root
    attributes, errors = drawn.find("html")[0].attributes, drawn.find("div", id="errors")[0]
    assert attributes.get("data-ready") == "yes", f"the page did not complete: {errors.text()}"
    assert attributes.get("data-errors") == "0" and "hidden" in errors.attributes, errors.text()
    assert "data-pwned" not in attributes, "a string from the data was run as a program"
    return drawn
