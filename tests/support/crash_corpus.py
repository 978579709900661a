"""A small but complete corpus for tests of crash safety: an old edition of some documents, and a
new one with one added, one changed and one removed. Both are encoded beforehand, so that a run
costs little more than opening the model."""

import shutil
import tempfile
from pathlib import Path

import beleg_program as bp
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_PARTIAL, NOW, story, write

STORIES = ["N-2025-0416", "N-2025-0901", "N-2024-0726", "N-2024-1114"]
# Its answer is another one in each edition.
QUESTION = "Wann öffnet die Sternwarte in Suhl?"
CHANGED = {"old": "Die Sternwarte in Suhl öffnet am 3. Mai 2025. Der Eintritt ist frei.",
           "new": "Die Sternwarte in Suhl öffnet erst am 9. Juni 2025. Das Dach war undicht."}
PURGE = ("corpus", "purge", "--yes", "--json")
# Of what only the old edition holds: a text, its stems, an id, a name; and of a version that changed.
GONE = ["Der Igel frisst", "Igel frisst Käfer", "würmer", "IGEL", "igel.md", "am 3. Mai 2025",
        "Der Eintritt ist frei"]


def write_edition(folder, edition):
    for path in folder.iterdir():
        path.unlink()
    bp.copy_stories(folder, STORIES)
    write(folder / "sternwarte.md", story("STERN", CHANGED[edition], published="2025-03-01"))
    if edition == "old":
        write(folder / "igel.md", story("IGEL", "Der Igel frisst Käfer und Würmer."))
    else:
        write(folder / "markt.md", story("MARKT", "Die Markthalle in Gera bekommt ein Glasdach."))


def without_numbers(receipt):
    """What an answer says, without the numbers that depend on what else was ever tried."""
    return [(statement["text"], [(c["document"], c["start"], c["end"], c["quote_sha256"])
                                 for c in statement["citations"]])
            for statement in receipt["statements"]]


class CrashCorpus:
    """A home whose corpus is at the old edition; `documents` holds the new one."""

    def __init__(self):
        self.home = bp.Home()
        self.documents = self.home.folder("documents")
        self.case = bp.ProgramTest()
        write_edition(self.documents, "old")
        self.case.ingest(self.home, self.documents)
        old = self.case.ask(self.home, QUESTION)
        write_edition(self.documents, "new")
        self.case.ingest(self.home, self.documents)
        new = self.case.ask(self.home, QUESTION)
        self.said = {"old": without_numbers(old), "new": without_numbers(new)}
        assert self.said["old"] != self.said["new"] and all(self.said.values()), self.said
        self.contents = {"new": self.visible_contents()}
        assert self.home.run("rollback").code == EXIT_OK
        self.contents["old"] = self.visible_contents()
        # Receipts that were given out before whatever happens next.
        self.receipts = [old["receipt_sha256"]]
        self.saved = Path(tempfile.mkdtemp(prefix="beleg-test-saved-"))
        self.save("old")

    def remove(self):
        self.home.remove()
        shutil.rmtree(self.saved)

    def save(self, name):
        shutil.copytree(self.home.corpus_folder(), self.saved / name)

    def restore(self, name):
        """The corpus as it was saved; None: none at all, but the vectors."""
        shutil.rmtree(self.home.path / "corpora")
        if name is None:
            self.home.corpus_folder().mkdir(parents=True)
            for part in ("embeddings.pack", "embeddings.idx"):
                shutil.copy(self.saved / "old" / part, self.home.corpus_folder() / part)
        else:
            shutil.copytree(self.saved / name, self.home.corpus_folder())

    def generation(self):
        """The current one; None when there is no corpus, or an empty one."""
        if not (self.home.corpus_folder() / "truth.db").exists():
            return None
        return self.home.truth("SELECT current_generation FROM corpus")[0][0] or None

    def visible_contents(self):
        """Ids and hashes of the documents of the current generation, read with SQLite alone."""
        return sorted(self.home.truth(
            "SELECT external_id, hex(content_hash) FROM version "
            "JOIN document ON document.id = version.document, corpus "
            "WHERE version.from_generation <= current_generation "
            "AND (to_generation IS NULL OR to_generation > current_generation)"))

    def edition(self):
        contents = self.visible_contents()
        for edition, expected in self.contents.items():
            if contents == expected:
                return edition
        raise AssertionError(f"neither edition: {contents}")


class CrashTest(bp.ProgramTest):
    """Assertions on a corpus after something happened to it."""

    def assert_whole(self, corpus, editions, receipts=(), derived_may_be_lost=False):
        """It is at one of `editions` (None: there is no corpus yet) and everything of it is there.
        Returns the edition; the answer to the question is in `self.answer`. `derived_may_be_lost`: the index may have to be built again."""
        home = corpus.home
        # The program first: it, and not the SQLite of this test, has to put things in order.
        asked = home.run("ask", "--json", "--now", NOW, QUESTION)
        if corpus.generation() is None:
            self.assertIn(None, editions, f"the corpus is gone: {asked}")
            self.assert_code(asked, EXIT_FAILED)
            self.assert_one_complaint(asked)
            return None
        edition = corpus.edition()
        self.assertIn(edition, editions)
        self.assert_code(asked, *((EXIT_OK, EXIT_PARTIAL) if derived_may_be_lost else (EXIT_OK,)))
        answer = self.answer = asked.json()
        self.assertEqual(without_numbers(answer), corpus.said[edition])
        self.assert_quotes_hold(home, answer)
        self.assert_all_well(home)
        self.assert_code(home.run("verify", answer["receipt_sha256"]), EXIT_OK)
        for receipt in receipts:
            # Given out earlier, maybe for words that have changed since; but it was not lost.
            self.assertIn("receipt hash: holds", home.run("verify", receipt).out)
        return edition

    def assert_goes_on(self, corpus):
        """The next ingest completes, and the corpus is at the new edition."""
        result = self.assert_code(
            corpus.home.run("ingest", "--json", "--quiet", corpus.documents), EXIT_OK)
        self.assertEqual(result.err, "")
        self.assertEqual(corpus.edition(), "new")
        self.assert_all_well(corpus.home)

    def assert_purge_finishes(self, corpus):
        """Of a purge at the new edition that did not come to its end: answers are as they were, audit
        has nothing to say or that it was cut short, and the next one ends well. Returns how far the
        first one was."""
        home = corpus.home
        asked = self.assert_code(home.run("ask", "--json", "--now", NOW, QUESTION), EXIT_OK).json()
        self.assertEqual(without_numbers(asked), corpus.said["new"])
        self.assert_quotes_hold(home, asked)
        audit = home.run("audit", "--json").json()
        begun = not audit["ok"]
        self.assertTrue(all("purge was cut short" in finding for finding in audit["findings"]), audit)
        done = bool(home.truth("SELECT count(*) FROM purge WHERE state = 'done'")[0][0])
        log = home.run("corpus", "log", "--json").json()
        self.assertEqual([entry["purged"] for entry in log], [False, begun or done])
        if begun:
            refused = home.run("backup", home.path / "refused.beleg")
            self.assert_code(refused, EXIT_FAILED)
            self.assert_one_complaint(refused, "purge")
        self.assert_code(home.run(*PURGE), EXIT_OK)
        self.assert_nothing_is_left(corpus)
        self.assert_all_well(home)
        self.assert_code(home.run("verify", asked["receipt_sha256"]), EXIT_OK)
        return "done" if done else "begun" if begun else "not begun"

    def assert_nothing_is_left(self, corpus):
        """No byte of the old edition, in no file of any corpus."""
        for path in (corpus.home.path / "corpora").rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                for word in GONE:
                    self.assertNotIn(word.encode(), content, f"{word} in {path}")
