"""check.py BOOK DOCS: checks a built book.

Every link inside of the book leads to a file, and to an element with its anchor; no page loads anything from another
host; every page of DOCS is in the book and in its navigation.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# The attributes whose address a browser fetches by itself, by element.
LOADED = {
    "audio": ["src"],
    "embed": ["src"],
    "iframe": ["src"],
    "image": ["href", "xlink:href"],
    "img": ["src", "srcset"],
    "input": ["src"],
    "link": ["href"],
    "object": ["data"],
    "script": ["src"],
    "source": ["src", "srcset"],
    "track": ["src"],
    "use": ["href", "xlink:href"],
    "video": ["src", "poster"],
}
CSS_ADDRESS = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""")


class Page(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.style = tag == "style"
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        self.loaded += [values[name] for name in LOADED.get(tag, []) if values.get(name)]
        self.loaded += CSS_ADDRESS.findall(values.get("style") or "")

    def handle_endtag(self, tag):
        self.style = False

    def handle_data(self, data):
        if self.style:
            self.loaded += CSS_ADDRESS.findall(data)


def is_remote(address):
    parts = urlsplit(address)
    return parts.scheme not in ("", "data") or bool(parts.netloc)


def problems(book, docs):
    """Everything that is wrong with the book, a sentence each."""
    files = sorted(book.rglob("*.html"))
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in files}
    for file, page in pages.items():
        name = file.relative_to(book)
        yield from (f"{name}: loads {it} from another host" for it in page.loaded if is_remote(it))
        inside = [it for it in page.links + page.loaded if not is_remote(it) and not it.startswith("data:")]
        for address in inside:
            path, anchor = (unquote(part) for part in (urlsplit(address).path, urlsplit(address).fragment))
            target = (file.parent / path).resolve() if path else file
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                yield f"{name}: {address} leads nowhere"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{name}: {address}: the page has no such anchor"
    for file in sorted(book.rglob("*.css")):
        for address in CSS_ADDRESS.findall(file.read_text(encoding="utf-8")):
            if is_remote(address):
                yield f"{file.relative_to(book)}: loads {address} from another host"
            elif not address.startswith(("data:", "#")) and not (file.parent / urlsplit(address).path).is_file():
                yield f"{file.relative_to(book)}: {address} leads nowhere"
    navigation = book / "toc.html"
    listed = set(pages[navigation].links) if navigation in pages else set()
    for source in sorted(docs.rglob("*.md")):
        page = source.relative_to(docs)
        if page.name == "SUMMARY.md":
            continue
        built = page.with_name("index.html") if page.name == "README.md" else page.with_suffix(".html")
        if built.as_posix() not in listed:
            yield f"{page}: not in the navigation (docs/SUMMARY.md)"


def main():
    book, docs = (Path(argument).resolve() for argument in sys.argv[1:])
    found = list(problems(book, docs))
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    pages = [file for file in book.rglob("*.html") if file.name != "toc.html"]
    links = sum(len(Page(file.read_text(encoding="utf-8")).links) for file in pages)
    if not pages or not links:
        sys.exit(f"{book}: not a book")
    print(f"{len(pages)} pages with {links} links, {len(found)} problems: {book / 'index.html'}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
