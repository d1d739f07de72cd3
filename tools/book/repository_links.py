"""A preprocessor of mdBook: links that leave docs/ lead to the repository.

The pages are read on a code forge, too, where relative links reach every file. In the book, a link to a file outside
docs/, or to a folder without a page of its own, becomes a link to the same file of the repository.
"""

import json
import posixpath
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Code comes first: what stands in a fenced block or between backticks is no link.
CODE_OR_LINK = re.compile(
    r"(?P<code>^```.*?^```|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))|\]\((?P<link>[^)\s]+)\)",
    re.DOTALL | re.MULTILINE,
)


def in_repository(link, page, repository):
    """The link of a page, or the address in the repository of what is not in the book."""
    path, hash_sign, anchor = link.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return link
    target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
    file = ROOT / target
    if not file.exists():
        raise SystemExit(f"docs/{page}: {link} leads nowhere")
    if target.startswith("docs/") and (file.is_file() or (file / "README.md").is_file()):
        # The book calls a page README.md index.html, like the page of its folder.
        page_of_folder = file / "README.md" if file.is_dir() else file
        if page_of_folder.name == "README.md":
            path = posixpath.join(path if file.is_dir() else posixpath.dirname(path), "index.md")
        return path + hash_sign + anchor
    kind = "tree" if file.is_dir() else "blob"
    return f"{repository}/{kind}/main/{target}{hash_sign}{anchor}"


def rewrite(text, page, repository):
    """The text of a page with its links as the book needs them."""

    def replacement(match):
        link = match["link"]
        return match[0] if link is None else f"]({in_repository(link, page, repository)})"

    return CODE_OR_LINK.sub(replacement, text)


def rewrite_items(items, repository):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            if chapter["source_path"]:
                chapter["content"] = rewrite(chapter["content"], chapter["source_path"], repository)
            rewrite_items(chapter["sub_items"], repository)


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0)
    context, book = json.load(sys.stdin)
    repository = context["config"]["output"]["html"]["git-repository-url"]
    rewrite_items(book["items"], repository)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
