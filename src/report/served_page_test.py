#!/usr/bin/env python3
"""The page that asks a server for its data must show what the page with the same data in it shows:
served_page_test.py SAMPLE_PROGRAM CHROMIUM NODE DEV_SERVER"""
import subprocess
import sys
import tempfile

from page_browser import drawn_by_browser

sample_program, chromium, node, dev_server = sys.argv[1:5]


def drawn(node):
    """What stands in it: tags, attributes and texts in their order."""
    return [node.tag, node.attributes, [child if isinstance(child, str) else drawn(child) for child in node.children]]


with tempfile.TemporaryDirectory() as directory:
    subprocess.run([sample_program, directory], check=True)
    embedded = drawn_by_browser(chromium, f"{directory}/page.html")
    server = subprocess.Popen([node, dev_server, f"{directory}/page.html", "0"], stdout=subprocess.PIPE, text=True)
    try:
        served = drawn_by_browser(chromium, server.stdout.readline().strip())
    finally:
        server.terminate()
        server.wait()

assert not served.find("script", id="data"), "the page carried its data"
assert served.find("canvas", class_="ranks"), "the timelines were not asked for"
assert drawn(served.find("div", id="page")[0]) == drawn(embedded.find("div", id="page")[0])
