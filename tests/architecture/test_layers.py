"""The rules of the source tree: what may include what, sizes of files, pages that the code dictates."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402

SRC = bp.SOURCE / "src"
# From the bottom to the top: a folder includes itself and what stands before it.
LAYERS = ["base", "eval", "text", "document", "passage", "model", "store", "index", "rank", "route", "answer",
          "settings", "ingest", "pipeline", "cli"]
MAX_HEADER_LINES = 250
MAX_SOURCE_LINES = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# In pieces, so that this file does not find itself.
FORBIDDEN = ["/wor" + "k/", "/roo" + "t/", "/tmp/ba" + "sh", "TO" + "DO", "FIX" + "ME", "XX" + "X:"]
TEXT_SUFFIXES = {".cc", ".h", ".inc", ".txt", ".cmake", ".py", ".md", ".toml", ".json", ".jsonl", ".sh", ".yaml",
                 ".yml", ""}
SKIPPED_FOLDERS = {".git", ".cache", ".github", "build", "third_party", "node_modules", "__pycache__"}


def sources(*suffixes):
    return [p for p in sorted(SRC.rglob("*")) if p.suffix in suffixes]


def text_of(path):
    return path.read_text(encoding="utf-8")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def layer_of(path):
    return path.relative_to(SRC).parts[0]


class LayersTest(unittest.TestCase):
    def includes(self):
        """(file, included path) of every include of the project's own."""
        for path in sources(".cc", ".h", ".inc"):
            for included in INCLUDE.findall(text_of(path)):
                yield path, included

    def test_every_folder_has_its_layer(self):
        self.assertEqual(sorted(p.name for p in SRC.iterdir() if p.is_dir()), sorted(LAYERS))

    def test_cmake_builds_the_folders_in_the_order_of_the_layers(self):
        listed = re.findall(r"add_subdirectory\(src/(\w+)\)", text_of(bp.SOURCE / "CMakeLists.txt"))
        self.assertEqual(listed, LAYERS)

    def test_nothing_includes_upwards(self):
        count = 0
        for path, included in self.includes():
            where = f"{path.relative_to(bp.SOURCE)} includes {included}"
            parts = Path(included).parts
            self.assertIn(parts[0], LAYERS, where + ": give the full path from src")
            self.assertGreater(len(parts), 1, where)
            self.assertTrue((SRC / included).is_file(), where + ", which is not there")
            self.assertLessEqual(LAYERS.index(parts[0]), LAYERS.index(layer_of(path)), where + ": upwards")
            count += 1
        self.assertGreater(count, 300, "the includes were not found")

    def test_no_cycles_between_headers(self):
        graph = {}
        for path, included in self.includes():
            graph.setdefault(str(path.relative_to(SRC)), set()).add(included)
        done, active = set(), []

        def visit(name):
            self.assertNotIn(name, active, "cycle: " + " -> ".join([*active, name]))
            if name in done:
                return
            active.append(name)
            for included in sorted(graph.get(name, ())):
                visit(included)
            active.pop()
            done.add(name)

        for name in sorted(graph):
            visit(name)

    def test_headers(self):
        headers = sources(".h")
        self.assertGreater(len(headers), 50)
        for path in headers:
            with self.subTest(str(path.relative_to(bp.SOURCE))):
                text = text_of(path)
                self.assertEqual(len(re.findall(r"^#pragma once$", text, re.MULTILINE)), 1)
                self.assertLessEqual(text.count("\n"), MAX_HEADER_LINES)
                self.assertNotRegex(without_comments(text), r"using\s+namespace")

    def test_sources(self):
        for path in sources(".cc"):
            with self.subTest(str(path.relative_to(bp.SOURCE))):
                text = text_of(path)
                self.assertLessEqual(text.count("\n"), MAX_SOURCE_LINES)
                self.assertNotRegex(without_comments(text), r"^\s*using\s+namespace", "qualify the names")

    def test_every_source_is_built(self):
        for folder in LAYERS:
            listed = set(re.findall(r"[\w./-]+\.cc", text_of(SRC / folder / "CMakeLists.txt")))
            for path in (SRC / folder).rglob("*.cc"):
                with self.subTest(str(path.relative_to(bp.SOURCE))):
                    self.assertIn(str(path.relative_to(SRC / folder)), listed, "in no CMakeLists.txt")

    def test_architecture_page_names_exactly_the_folders(self):
        page = bp.SOURCE / "docs" / "architecture.md"
        self.assertTrue(page.is_file(), "docs/architecture.md is missing")
        headings = re.findall(r"^#{2,4}\s+`?(?:src/)?([a-z_]+)/?`?", text_of(page), re.MULTILINE)
        named = [h for h in headings if h in LAYERS or (SRC / h).is_dir()]
        self.assertEqual(named, LAYERS, "docs/architecture.md needs one heading per folder under src, in the "
                         "order of the layers")

    def test_reference_of_the_steps_is_the_code_s(self):
        page = bp.SOURCE / "docs" / "reference" / "steps.md"
        self.assertTrue(page.is_file(), "docs/reference/steps.md is missing: "
                        "`beleg config steps > docs/reference/steps.md` makes it")
        printed = subprocess.run([bp.binary(), "config", "steps"], capture_output=True, check=True).stdout
        self.assertEqual(text_of(page).rstrip("\n"), printed.decode("utf-8").rstrip("\n"))

    def test_reference_of_the_settings_names_every_one(self):
        page = bp.SOURCE / "docs" / "reference" / "settings.md"
        self.assertTrue(page.is_file(), "docs/reference/settings.md is missing")
        printed = subprocess.run([bp.binary(), "config", "list"], capture_output=True, check=True).stdout
        keys = re.findall(r"^([a-z_0-9.]+) = ", printed.decode("utf-8"), re.MULTILINE)
        self.assertGreater(len(keys), 30)
        text = text_of(page)
        self.assertEqual([key for key in keys if f"`{key}`" not in text], [], "settings that no page explains")

    def test_links_between_pages_lead_somewhere(self):
        pages = [*(bp.SOURCE / "docs").rglob("*.md"), *bp.SOURCE.glob("*.md"), *(bp.SOURCE / "examples").glob("*.md")]
        self.assertGreater(len(pages), 5)
        for page in pages:
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text_of(page)):
                if "://" in target or target.startswith("mailto:"):
                    continue
                with self.subTest(f"{page.relative_to(bp.SOURCE)} -> {target}"):
                    self.assertTrue((page.parent / target).exists(), "the link leads nowhere")

    def test_no_forbidden_words(self):
        seen = 0
        for path in sorted(bp.SOURCE.rglob("*")):
            relative = path.relative_to(bp.SOURCE)
            if SKIPPED_FOLDERS & set(relative.parts) or not path.is_file() or path.suffix not in TEXT_SUFFIXES:
                continue
            try:
                text = text_of(path)
            except UnicodeDecodeError:
                continue
            seen += 1
            for word in FORBIDDEN:
                if word in text:
                    line = text[:text.index(word)].count("\n") + 1
                    with self.subTest(f"{relative}:{line}"):
                        self.fail(f"'{word}' stands in it")
        self.assertGreater(seen, 200, "the files were not found")


if __name__ == "__main__":
    bp.main(needs_models=False)
