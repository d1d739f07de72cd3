"""What builds the book: the check finds what it is for, and links that leave docs/ lead to the repository."""

import importlib.util
import pathlib
import tempfile
import unittest

BOOK = pathlib.Path(__file__).resolve().parent.parent / "book"


def module(name):
    spec = importlib.util.spec_from_file_location(f"book_{name}", BOOK / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


CHECK, LINKS = module("check"), module("repository_links")


class BuiltBook(unittest.TestCase):
    def problems(self, body="", style="", pages=("index",)):
        with tempfile.TemporaryDirectory() as folder:
            book, docs = pathlib.Path(folder, "book"), pathlib.Path(folder, "docs")
            book.mkdir()
            docs.mkdir()
            for page in ("README", *pages[1:]):
                docs.joinpath(f"{page}.md").write_text(f"# {page}\n")
            book.joinpath("toc.html").write_text('<a href="index.html">hotplate</a>')
            book.joinpath("index.html").write_text(f'<h1 id="top">hotplate</h1>{body}')
            book.joinpath("book.css").write_text(style)
            return list(CHECK.problems(book.resolve(), docs.resolve()))

    def test_a_whole_book_has_no_problem(self):
        body = '<a href="#top">up</a><a href="https://example.org/">out</a><img src="data:image/png;base64,AA==">'
        self.assertEqual(self.problems(body, "a { fill: url(#top) }"), [])

    def test_links_without_a_target(self):
        self.assertEqual(self.problems('<a href="gone.html">x</a>'), ["index.html: gone.html leads nowhere"])
        no_anchor = "index.html: #gone: the page has no such anchor"
        self.assertEqual(self.problems('<a href="#gone">x</a>'), [no_anchor])

    def test_what_another_host_would_see(self):
        for body in (
            '<script src="https://example.org/a.js"></script>',
            '<link rel="stylesheet" href="//example.org/a.css">',
            '<img src="http://example.org/a.png">',
            "<style>@import 'https://example.org/a.css';</style>",
            '<p style="background: url(https://example.org/a.png)">x</p>',
        ):
            with self.subTest(body):
                [problem] = self.problems(body)
                self.assertIn("from another host", problem)
        [problem] = self.problems(style="@font-face { src: url('https://example.org/a.woff2') }")
        self.assertIn("from another host", problem)

    def test_a_page_outside_of_the_navigation(self):
        missing = "other.md: not in the navigation (docs/SUMMARY.md)"
        self.assertEqual(self.problems(pages=("index", "other")), [missing])


class RepositoryLinks(unittest.TestCase):
    def rewritten(self, text, page="ir.md"):
        return LINKS.rewrite(text, page, "https://example.org/repository")

    def test_links_between_pages_stay(self):
        for text in ("[a](heat.md#names)", "[b](#top)", "[c](https://example.org/)", "[d](schemas/ir.json)"):
            self.assertEqual(self.rewritten(text), text)

    def test_a_page_of_a_folder_is_its_index(self):
        self.assertEqual(self.rewritten("[a](checks/README.md)"), "[a](checks/index.md)")
        self.assertEqual(self.rewritten("[a](../heat.md)", "checks/README.md"), "[a](../heat.md)")

    def test_links_that_leave_the_pages(self):
        blob, tree = "https://example.org/repository/blob/main", "https://example.org/repository/tree/main"
        self.assertEqual(self.rewritten("[`a`](../README.md#speed)"), f"[`a`]({blob}/README.md#speed)")
        self.assertEqual(self.rewritten("[a](../snapshots)"), f"[a]({tree}/snapshots)")
        self.assertEqual(self.rewritten("[a](schemas)"), f"[a]({tree}/docs/schemas)")

    def test_code_is_not_a_link(self):
        for text in ("`[a](../README.md)`", "```\n[a](../README.md)\n```", "``[`a`](../README.md)``"):
            self.assertEqual(self.rewritten(text), text)

    def test_a_link_without_a_target_is_an_error(self):
        with self.assertRaises(SystemExit):
            self.rewritten("[a](../gone.md)")


if __name__ == "__main__":
    unittest.main()
