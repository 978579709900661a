"""Purge: no byte of what was deleted is left in any file, and what lives answers as before."""

import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_USAGE, story, write  # noqa: E402

QUESTION = "Ist Lecanemab in der EU zugelassen?"
SECRET_QUESTION = "Wo wohnt die Zeugin Ottilie Brandner?"
STORIES = ["N-2025-0416", "N-2025-0901", "N-2024-0726", "N-2024-1114"]
SECRET = ("Die Zeugin Ottilie Brandner wohnt in Wuppertal, Hofaue 12, im dritten Stock. "
          "Sie sah am Abend des neunten März einen Lieferwagen vor dem Rathaus.")
# Words of the secret in the forms in which an index may keep them.
GONE = ["Ottilie", "ottili", "Brandner", "brandner", "Hofaue", "hofau", "Lieferwagen", "lieferwag",
        "akte-brandner", "Vernehmung der Zeugin"]


class PurgeTest(bp.ProgramTest):
    def setUp(self):
        self.home = bp.Home()
        self.addCleanup(self.home.remove)
        self.documents = self.home.folder("artikel")
        bp.copy_stories(self.documents, STORIES)
        write(self.documents / "akte-brandner.md",
              story("akte-brandner-0815", SECRET, title="Vernehmung der Zeugin"))
        write(self.documents / "w.md", story("W", "Das Wetter wird am Montag trüb und regnerisch.",
                                             title="Wetterbericht"))
        self.ingest(self.home, self.documents)
        self.secret_receipt = self.ask(self.home, SECRET_QUESTION)
        self.assertIn("Hofaue 12", self.secret_receipt["answer"])
        self.old_weather = self.ask(self.home, "Wie wird das Wetter am Montag?")
        self.living = self.ask(self.home, QUESTION)
        (self.documents / "akte-brandner.md").unlink()
        write(self.documents / "w.md", story("W", "Das Wetter wird am Montag klar und sonnig.",
                                             title="Wetterbericht"))
        self.ingest(self.home, self.documents)
        self.current = self.ask(self.home, QUESTION)
        self.folder = self.home.corpus_folder()

    def files_with(self, word):
        """Files below the corpus that hold a word, read without the program."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                      if path.is_file() and word.encode() in path.read_bytes())

    def purge(self):
        return self.assert_code(self.home.run("corpus", "purge", "--yes", "--json"), EXIT_OK).json()

    def test_no_byte_is_left_and_the_rest_is_as_before(self):
        for word in ("Hofaue", "Ottilie", "regnerisch"):
            self.assertTrue(self.files_with(word), f"{word} must be there before")
        (self.folder / "embeddings.new.pack").write_bytes(SECRET.encode())  # Of a killed purge.
        # As people run it: with the words that say what was looked for.
        told = self.assert_code(self.home.run("corpus", "purge", "--dry-run"), EXIT_OK)
        self.assertNotIn("no byte", told.out)
        report = self.purge()
        for word in [*GONE, "trüb und regnerisch"]:
            self.assertEqual(self.files_with(word), [], word)
        self.assertEqual((report["documents"], report["versions"]), (1, 2))
        self.assertGreaterEqual(report["embeddings"], 2)
        self.assertGreaterEqual(report["receipts"], 2)
        self.assertGreater(report["looked_for"], 100)
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        self.assertGreaterEqual(report["checked_files"], 7)
        self.assertLessEqual(report["checked_files"], len(files) + 2)
        self.assert_all_well(self.home)
        again = self.ask(self.home, QUESTION)
        self.assertEqual(again["receipt_sha256"], self.current["receipt_sha256"])
        self.assert_quotes_hold(self.home, again)
        self.assertEqual(self.ask(self.home, SECRET_QUESTION)["statements"], [])
        # What stayed has its vectors: nothing is encoded again.
        _, summary = self.ingest(self.home, self.documents)
        self.assertEqual((summary["encoded"], summary["generation"]), (0, None))
        self.assert_code(self.home.run("verify", self.current["receipt_sha256"]), EXIT_OK)
        lines = self.home.run("corpus", "purge", "--yes").out.splitlines()
        self.assertRegex(lines[0], "^purged 0 documents, 0 versions, 0 embeddings")
        self.assertEqual(lines[-1], "nothing was looked for in the files")

    def test_a_dry_run_says_the_same_and_changes_nothing(self):
        result = self.home.run("corpus", "purge")
        self.assert_code(result, EXIT_USAGE)
        self.assert_one_complaint(result, "nothing was erased", "--dry-run", "--yes")
        plan = self.assert_code(self.home.run("corpus", "purge", "--dry-run", "--json"), EXIT_OK).json()
        self.assertFalse(plan["purged"])
        self.assertTrue(self.files_with("Hofaue"))
        self.assertEqual(self.ask(self.home, SECRET_QUESTION, "--generation", "1")["receipt_sha256"],
                         self.secret_receipt["receipt_sha256"])
        done = self.purge()
        for field in ("documents", "versions", "embeddings", "receipts", "looked_for"):
            self.assertEqual(plan[field], done[field], field)

    def test_receipts_about_purged_text_say_so(self):
        secret = write(self.home.path / "secret.json", json.dumps(self.secret_receipt))
        weather = write(self.home.path / "weather.json", json.dumps(self.old_weather))
        self.assertTrue(self.old_weather["statements"])
        self.purge()
        for path, remark in ((secret, "no longer in the corpus"), (weather, "does not have these words")):
            result = self.home.run("verify", "--json", path)
            self.assert_code(result, EXIT_FAILED)
            verification = result.json()
            self.assertTrue(verification["hash_holds"])
            for citation in verification["citations"]:
                self.assertEqual(citation["state"], "deleted", citation)
                self.assertIn("was purged", citation["remark"])
                self.assertIn(remark, citation["remark"])
        stored = self.home.run("verify", self.secret_receipt["receipt_sha256"])
        self.assert_code(stored, EXIT_FAILED)
        self.assert_one_complaint(stored, "no receipt")
        # Another document's receipt, of the purged generation, still verifies from its file.
        living = write(self.home.path / "living.json", json.dumps(self.living))
        self.assert_code(self.home.run("verify", living), EXIT_OK)

    def test_generations_before_are_gone_and_say_so(self):
        self.purge()
        log = self.home.run("corpus", "log", "--json").json()
        self.assertEqual([(g["generation"], g["purged"]) for g in log], [(2, False), (1, True)])
        for arguments in (["rollback"], ["rollback", "--to", "1"], ["corpus", "diff", "1"],
                          ["corpus", "tag", "alt", "1"], ["ask", "--generation", "1", QUESTION]):
            result = self.home.run(*arguments)
            self.assert_code(result, EXIT_FAILED)
            self.assert_one_complaint(result, "generation 1 was purged")
        write(self.documents / "neu.md", story("NEU", "Ein neuer Text."))
        self.ingest(self.home, self.documents)
        self.assert_code(self.home.run("rollback"), EXIT_OK)
        self.assertEqual(self.ask(self.home, QUESTION)["receipt_sha256"],
                         self.current["receipt_sha256"])

    def test_a_tagged_generation_is_kept(self):
        self.assert_code(self.home.run("corpus", "tag", "druck", "1"), EXIT_OK)
        result = self.home.run("corpus", "purge", "--yes")
        self.assert_code(result, EXIT_FAILED)
        self.assert_one_complaint(result, "has the tag 'druck'", "--delete druck")
        self.assertEqual(self.ask(self.home, SECRET_QUESTION, "--generation", "druck")["receipt_sha256"],
                         self.secret_receipt["receipt_sha256"])

    def test_a_file_that_still_holds_it_is_named(self):
        write(self.folder / "meine-kopie.txt", "Notiz: " + SECRET)
        result = self.home.run("corpus", "purge", "--yes")
        self.assert_code(result, EXIT_FAILED)
        self.assert_one_complaint(result, "meine-kopie.txt", "still holds")
        (self.folder / "meine-kopie.txt").unlink()
        self.assertTrue(self.purge()["resumed"])
        self.assert_all_well(self.home)

    def test_lost_vectors_stop_it_before_anything_is_erased(self):
        (self.folder / "embeddings.pack").unlink()
        result = self.home.run("corpus", "purge", "--yes")
        self.assert_code(result, EXIT_FAILED)
        self.assertEqual([g["purged"] for g in self.home.run("corpus", "log", "--json").json()],
                         [False, False])
        self.ingest(self.home, self.documents)
        self.purge()
        self.assert_all_well(self.home)

    def test_kill_at_any_moment(self):
        for number in range(60):
            write(self.documents / f"fall-{number}.md", story(
                f"fall-{number:03}", f"Im Fall Nummer {number} sagte Zeuge Bartholomäus Quast aus, "
                f"er habe {number} Kisten gezählt.", title=f"Vorgang {number}"))
        self.ingest(self.home, self.documents)
        for path in self.documents.glob("fall-*.md"):
            path.unlink()
        self.ingest(self.home, self.documents)
        expected = self.ask(self.home, QUESTION)["receipt_sha256"]
        draw = random.Random(5)
        killed = 0
        longest = 1.5
        for _ in range(12):
            running = self.home.start("corpus", "purge", "--yes")
            deadline = time.monotonic() + draw.uniform(0.02, 1.0) * longest
            result = None
            while result is None and time.monotonic() < deadline:
                time.sleep(0.002)
                result = running.done()
            if result is None:
                result = running.kill()
            self.assertIn(result.code, (EXIT_OK, -9), str(result))
            killed += result.code == -9
            if result.code == EXIT_OK:
                longest = result.seconds
            self.assertEqual(self.ask(self.home, QUESTION)["receipt_sha256"], expected)
            findings = self.home.run("audit", "--json").json()["findings"]
            self.assertTrue(all("purge was cut short" in finding for finding in findings), findings)
        self.assertGreaterEqual(killed, 3)
        self.purge()
        self.assert_all_well(self.home)
        self.assertEqual(self.ask(self.home, QUESTION)["receipt_sha256"], expected)
        for word in [*GONE, "Bartholomäus Quast", "Kisten gezählt"]:
            self.assertEqual(self.files_with(word), [], word)
        print(f"  {killed} purges killed", flush=True)


if __name__ == "__main__":
    bp.main()
