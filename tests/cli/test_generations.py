"""Generations: seen, compared, named, answered from, undone together, and documents taken out."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_USAGE, story, write  # noqa: E402

QUESTION = "Ist Lecanemab in der EU zugelassen?"
STORIES = ["N-2025-0416", "N-2025-0901", "N-2024-0726", "N-2024-1114"]


class GenerationsTest(bp.ProgramTest):
    """Generation 1: the stories and A. 2: A changed, B added. 3: B removed. A tag on 1."""

    def setUp(self):
        self.home = bp.Home()
        self.addCleanup(self.home.remove)
        self.documents = self.home.folder("artikel")
        bp.copy_stories(self.documents, STORIES)
        write(self.documents / "a.md", story("A", "In Jena wird die Sternwarte geschlossen.",
                                             title="Sternwarte"))
        self.ingest(self.home, self.documents)
        self.first = self.ask(self.home, QUESTION)
        self.assert_code(self.home.run("corpus", "tag", "druck-1"), EXIT_OK)
        write(self.documents / "a.md", story("A", "In Jena wird die Sternwarte wieder eröffnet.",
                                             title="Sternwarte offen"))
        write(self.documents / "b.md", story("B", "Die Mühle in Gera mahlt wieder.", title="Mühle"))
        self.ingest(self.home, self.documents)
        (self.documents / "b.md").unlink()
        (self.documents / "N-2025-0901.md").unlink()
        self.ingest(self.home, self.documents)

    def json(self, *arguments, codes=(EXIT_OK,)):
        return self.assert_code(self.home.run(*arguments, "--json"), *codes).json()

    def test_log_shows_counts_dates_and_tags(self):
        log = self.json("corpus", "log")
        self.assertEqual([g["generation"] for g in log], [3, 2, 1])
        self.assertEqual([g["tags"] for g in log], [[], [], ["druck-1"]])
        self.assertEqual([(g["stats"]["added"], g["stats"]["changed"], g["stats"]["removed"])
                          for g in log], [(0, 0, 2), (1, 1, 0), (5, 0, 0)])
        self.assertFalse(any(g["purged"] for g in log))
        lines = self.home.run("corpus", "log").out.splitlines()
        self.assertRegex(lines[2], r"^generation 1  20..-..-..T.*added 5 .*\[druck-1\]$")

    def test_diff_names_documents_titles_and_what_changed(self):
        difference = self.json("corpus", "diff", "druck-1", "2")
        self.assertEqual(difference["added"],
                         [{"document": "B", "source": str(self.documents), "title": "Mühle"}])
        (changed,) = difference["changed"]
        self.assertEqual((changed["document"], changed["title"]), ("A", "Sternwarte offen"))
        self.assertEqual(set(changed["fields"]), {"title", "text"})
        # "geschlossen" (11 letters) became "wieder eröffnet" (15), "en" at the end aside or not.
        self.assertEqual(changed["characters_added"] - changed["characters_removed"], 4)
        self.assertLessEqual(changed["characters_removed"], 11)
        self.assertEqual(difference["removed"], [])
        back = self.json("corpus", "diff", "2", "1")
        self.assertEqual([d["document"] for d in back["removed"]], ["B"])
        # Without a second one: the current generation.
        lines = self.home.run("corpus", "diff", "1").out.splitlines()
        self.assertEqual(lines[0], "from generation 1 to 3: 0 added, 1 changed, 1 removed")
        self.assertTrue(lines[1].startswith("~ A  Sternwarte offen  ("), lines)
        self.assertTrue(lines[2].startswith("- N-2025-0901  "), lines)

    def test_tags(self):
        self.assertEqual(self.json("corpus", "tag", "zweite", "2"), {"tag": "zweite", "generation": 2})
        self.assertEqual([(t["tag"], t["generation"]) for t in self.json("corpus", "tag")],
                         [("druck-1", 1), ("zweite", 2)])
        for arguments, code, part in ((["zweite"], EXIT_FAILED, "already the tag of generation 2"),
                                      (["7"], EXIT_USAGE, "cannot name a generation"),
                                      (["x", "9"], EXIT_FAILED, "there is no generation 9"),
                                      (["--delete", "nie"], EXIT_FAILED, "no generation has the tag")):
            result = self.home.run("corpus", "tag", *arguments)
            self.assert_code(result, code)
            self.assert_one_complaint(result, part)
        self.assert_code(self.home.run("corpus", "tag", "--delete", "zweite"), EXIT_OK)
        self.assertEqual(len(self.json("corpus", "tag")), 1)
        self.assert_all_well(self.home)

    def test_an_old_generation_answers_as_it_did(self):
        now = self.ask(self.home, QUESTION)
        self.assertNotEqual(now["receipt_sha256"], self.first["receipt_sha256"])
        for name in ("1", "druck-1"):
            then = self.ask(self.home, QUESTION, "--generation", name)
            self.assertEqual(then["receipt_sha256"], self.first["receipt_sha256"])
        self.assertEqual(self.found(self.home, "Mühle Gera", "--generation", "2", "--k", "1",
                                    "--mode", "lexical"), ["B"])
        self.assertNotIn("B", self.found(self.home, "Mühle Gera"))
        result = self.home.run("ask", "--generation", "8", QUESTION)
        self.assert_code(result, EXIT_FAILED)
        self.assert_one_complaint(result, "there is no generation 8")
        self.assertEqual(self.ask(self.home, QUESTION)["receipt_sha256"], now["receipt_sha256"])
        self.assert_all_well(self.home)

    def test_rollback_of_several_at_once(self):
        refused = self.home.run("rollback", "--to", "0")
        self.assert_code(refused, EXIT_FAILED)
        self.assert_one_complaint(refused, "has the tag 'druck-1'")
        self.assertEqual(self.json("rollback", "--to", "druck-1"), {"generation": 1})
        self.assertEqual(self.ask(self.home, QUESTION)["receipt_sha256"],
                         self.first["receipt_sha256"])
        self.assert_all_well(self.home)
        for target, part in (("2", "was rolled back"), ("1", "is not before the current one")):
            result = self.home.run("rollback", "--to", target)
            self.assertNotEqual(result.code, EXIT_OK)
            self.assert_one_complaint(result, part)

    def test_documents_are_removed_by_id(self):
        other = self.home.folder("anderswo")
        write(other / "x.md", story("X", "Ein Ordner, den es bald nicht mehr gibt."))
        write(other / "a.md", story("A", "Auch hier gibt es ein A."))
        self.ingest(self.home, other)
        before = self.assert_all_well(self.home)["documents"]
        for path in other.iterdir():
            path.unlink()
        other.rmdir()
        for arguments, part in ((["X", "nie"], "no document 'nie'"), (["A"], "say which with --source"),
                                ([], "no document is named")):
            result = self.home.run("corpus", "remove", *arguments)
            self.assertNotEqual(result.code, EXIT_OK)
            self.assert_one_complaint(result, part)
        self.assertEqual(self.assert_all_well(self.home)["documents"], before)
        removed = self.json("corpus", "remove", "X", "A", "--source", str(other))
        self.assertEqual([d["document"] for d in removed["removed"]], ["X", "A"])
        self.assertEqual(self.assert_all_well(self.home)["documents"], before - 2)
        self.assertEqual(self.json("corpus", "log")[0]["stats"]["removed"], 2)
        # The other A is still there, and the next ingest does not cut everything anew.
        _, summary = self.ingest(self.home, self.documents)
        self.assertEqual((summary["unchanged"], summary["changed"], summary["encoded"]), (4, 0, 0))
        self.assertIsNone(summary["generation"])

    def test_the_last_document_can_be_removed(self):
        ids = [line["document"] for line in self.home.run("corpus", "documents", "--json").json_lines()]
        self.assert_code(self.home.run("corpus", "remove", *ids), EXIT_OK)
        self.assertEqual(self.assert_all_well(self.home)["documents"], 0)
        self.assertEqual(self.ask(self.home, QUESTION)["statements"], [])


if __name__ == "__main__":
    bp.main()
