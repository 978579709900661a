"""Corpora that earlier versions of the program wrote (tests/formats) open, and say what they said."""

import hashlib
import json
import shutil
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_OK, EXIT_PARTIAL, story, write  # noqa: E402

FORMATS = bp.SOURCE / "tests" / "formats"


def written_formats():
    """Folders, oldest first."""
    return sorted((path for path in FORMATS.iterdir() if path.is_dir()), key=lambda path: int(path.name))


def versions_of(folder):
    """Kind of file, as its first eight bytes name it → the versions that are there."""
    found = {}
    for path in [folder / "embeddings.pack", *(folder / "index").rglob("*.idx")]:
        head = path.read_bytes()[:12]
        found.setdefault(head[:8].decode("ascii"), set()).add(int.from_bytes(head[8:12], "little"))
    return found


class FormatTest(bp.ProgramTest):
    def open_as_written(self, written):
        home = bp.Home()
        self.addCleanup(home.remove)
        with tarfile.open(written / "corpus.tar.xz") as archive:
            archive.extractall(home.path / "corpora", filter="data")
        shutil.move(home.path / "corpora" / "corpus", home.corpus_folder())
        expected = json.loads((written / "expected.json").read_text(encoding="utf-8"))
        # What is opened here is what the other version wrote, not something newer.
        raw = (home.corpus_folder() / "truth.db").read_bytes()
        self.assertEqual(int.from_bytes(raw[60:64], "big"), expected["formats"]["truth.db"])
        for name, (magic, version) in [e for e in expected["formats"].items() if e[0] != "truth.db"]:
            head = (home.corpus_folder() / name).read_bytes()[:12]
            self.assertEqual((head[:8].decode(), int.from_bytes(head[8:], "little")), (magic, version), name)
        return home, expected

    def new_corpus(self):
        home = bp.Home()
        self.addCleanup(home.remove)
        documents = home.folder("documents")
        write(documents / "a.md", story("A", "Ein Satz über Eulen."))
        self.ingest(home, documents)
        return home

    def build_index(self, home, expected):
        """The first question builds an index where the one that is there cannot be used."""
        return self.ask(home, expected["question"], codes=(EXIT_OK, EXIT_PARTIAL))

    def assert_says(self, home, expected):
        self.build_index(home, expected)
        audit = self.assert_all_well(home)
        self.assertEqual((audit["documents"], audit["passages"], audit["generation"]),
                         (len(expected["documents"]), expected["passages"], expected["generation"]))
        for mode in ("lexical", "dense", "hybrid"):
            self.assertEqual(self.found(home, expected["word"], "--mode", mode, "--k", "1"),
                             [expected["word_found"]], mode)
        answer = self.ask(home, expected["question"])
        citation = self.citations(answer)[0]
        self.assertEqual(citation["quote"].encode(), expected["quote"].encode())
        self.assertEqual(hashlib.sha256(citation["quote"].encode()).hexdigest(), expected["quote_sha256"])
        self.assertEqual(citation["document"], expected["document"])
        self.assert_quotes_hold(home, answer)

    def test_every_format_opens(self):
        newest = self.new_corpus()
        format_now = newest.truth("PRAGMA user_version")[0][0]
        for written in written_formats():
            with self.subTest(written.name):
                home, expected = self.open_as_written(written)
                first = self.build_index(home, expected)
                self.assertEqual(self.citations(first)[0]["quote"], expected["quote"])
                # The truth was brought to the format of today, the derived index made anew.
                self.assertEqual(home.truth("PRAGMA user_version"), [(format_now,)])
                self.assert_says(home, expected)
                now = versions_of(newest.corpus_folder())
                index = home.index_folder()
                for path in index.rglob("*.idx"):
                    head = path.read_bytes()[:12]
                    self.assertIn(int.from_bytes(head[8:], "little"), now[head[:8].decode()], path)
                self.assertTrue((index / "manifest.idx").exists())
                texts = dict(home.truth(
                    "SELECT external_id, text FROM document JOIN version ON version.document = document.id "
                    "JOIN content ON content.version = version.id WHERE to_generation IS NULL"))
                self.assertEqual(texts, expected["texts"])
                # A receipt of that time, as it was stored then.
                self.assert_code(home.run("verify", expected["receipt_sha256"]), EXIT_OK)

    def test_every_format_goes_on(self):
        """Its vectors are used, its history can be read, undone, purged, saved and restored."""
        for written in written_formats():
            with self.subTest(written.name):
                home, expected = self.open_as_written(written)
                documents = home.folder("artikel")
                write(documents / "orgel.md", story("ORGEL", expected["texts"]["ORGEL"],
                                                    title="Die Orgel von Bärenfels"))
                _, summary = self.ingest(home, documents)
                self.assertEqual((summary["encoded"], summary["added"]), (0, 1))
                self.assert_code(home.run("rollback"), EXIT_OK)
                self.assert_says(home, expected)
                self.assert_code(home.run("rollback"), EXIT_OK)
                self.build_index(home, expected)
                self.assertEqual(self.assert_all_well(home)["documents"], 3)
                self.assertEqual(self.found(home, "bridge Alder Mill", "--k", "1"), ["BRIDGE"])
                home, expected = self.open_as_written(written)
                backup = home.path / "sicherung.beleg"
                self.assert_code(home.run("backup", backup), EXIT_OK)
                self.assert_code(home.run("corpus", "purge", "--yes"), EXIT_OK)
                self.assert_says(home, expected)
                self.assert_code(home.run("restore", backup, "--force"), EXIT_OK)
                self.assert_says(home, expected)

    def test_the_formats_of_today_are_among_them(self):
        """Fails when a format got a new version: write a corpus with it, see tests/formats/write."""
        home = self.new_corpus()
        newest = json.loads((written_formats()[-1] / "expected.json").read_text(encoding="utf-8"))["formats"]
        self.assertEqual(home.truth("PRAGMA user_version")[0][0], newest.pop("truth.db"))
        kept = {}
        for magic, version in newest.values():
            kept.setdefault(magic, set()).add(version)
        self.assertEqual(versions_of(home.corpus_folder()), kept)


if __name__ == "__main__":
    bp.main()
