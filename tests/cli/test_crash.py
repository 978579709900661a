"""Kill -9 at any moment: the corpus is at the old generation or the new one, never between."""

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, NOW, story, write  # noqa: E402

QUESTION = "Ist Lecanemab in der EU zugelassen?"
STORIES = ["N-2025-0416", "N-2025-0901", "N-2024-0726", "N-2024-1114", "N-2024-0821", "E-2025-0519"]
DOCUMENTS = 240
ROUNDS = 14
PLACES = ["Halle", "Jena", "Gera", "Suhl", "Erfurt", "Weimar", "Gotha", "Eisenach"]
THINGS = ["Brücke", "Schule", "Mühle", "Bahnlinie", "Bücherei", "Sternwarte", "Markthalle"]


def local_news(number, edition):
    place, thing = PLACES[number % len(PLACES)], THINGS[number % len(THINGS)]
    return story(f"L-{number:03}", f"In {place} wird die {thing} Nummer {number} im Jahr "
                 f"{1950 + number} wieder eröffnet. Fassung {edition}.", published="2024-05-01")


class CrashTest(bp.ProgramTest):
    def setUp(self):
        self.draw = random.Random(7)
        self.home = bp.Home()
        self.addCleanup(self.home.remove)
        self.sample = self.home.folder("sample")
        bp.copy_stories(self.sample, STORIES)
        self.ingest(self.home, self.sample)
        self.local = self.home.folder("local")

    def write_local(self, numbers, edition):
        for number in numbers:
            write(self.local / f"{number:03}.md", local_news(number, edition))

    def generation(self):
        return self.home.truth("SELECT current_generation FROM corpus")[0][0]

    def receipt(self):
        return self.ask(self.home, QUESTION)["receipt_sha256"]

    def test_kill_during_ingest(self):
        self.write_local(range(DOCUMENTS), 0)
        expected = {self.generation(): self.receipt()}
        killed = completed = 0
        longest = 6.0
        for turn in range(ROUNDS):
            before = self.generation()
            running = self.home.start("ingest", "--json", "--quiet", self.local)
            # Early, in the middle, and around the commit at the end.
            delay = self.draw.uniform(0.05, 1.05) * longest
            deadline = time.monotonic() + delay
            result = None
            while result is None and time.monotonic() < deadline:
                time.sleep(0.002)
                result = running.done()
            if result is None:
                result = running.kill()
            if result.code == EXIT_OK:
                completed += 1
                longest = result.seconds
                self.assertEqual(self.generation(), before + 1 if before + 1 in expected else self.generation())
            else:
                self.assertEqual(result.code, -9, str(result))
                killed += 1
            now = self.generation()
            self.assertTrue(now == before or now > before)
            receipt = self.receipt()
            if now in expected:
                self.assertEqual(receipt, expected[now], f"round {turn}: another answer after the kill")
            else:
                expected[now] = receipt
            audit = self.assert_all_well(self.home)
            self.assertIn(audit["documents"], (len(STORIES), len(STORIES) + DOCUMENTS))
            if now > before:
                # It got through: give the next rounds something to do.
                self.write_local(self.draw.sample(range(DOCUMENTS), 60), turn + 1)
        self.assertGreaterEqual(killed, ROUNDS // 3, f"{killed} kills, {completed} completed")
        _, summary = self.ingest(self.home, self.local)
        self.assertEqual(self.assert_all_well(self.home)["documents"], len(STORIES) + DOCUMENTS)
        self.assertEqual(summary["failed"], 0)
        found = self.found(self.home, "Sternwarte Nummer 131", "--mode", "lexical", "--k", "1")
        self.assertEqual(found, ["L-131"])
        self.assertEqual(self.home.run("verify", receipt).code, EXIT_OK)
        print(f"  {killed} ingests killed, {completed} completed", flush=True)

    def test_kill_during_rollback(self):
        self.write_local(range(40), 0)
        old = (self.generation(), self.receipt())
        self.ingest(self.home, self.local)
        new = (self.generation(), self.receipt())
        killed = 0
        for _ in range(10):
            running = self.home.start("rollback")
            time.sleep(self.draw.uniform(0.0, 0.06))
            result = running.kill()
            killed += result.code == -9
            self.assertIn(result.code, (EXIT_OK, -9))
            now = (self.generation(), self.receipt())
            self.assertIn(now, (old, new))
            audit = self.assert_all_well(self.home)
            self.assertEqual(audit["documents"], len(STORIES) + (0 if now == old else 40))
            if now == old:
                self.ingest(self.home, self.local)
                new = (self.generation(), self.receipt())
        self.assertGreaterEqual(killed, 1)

    def start_long_ingest(self):
        """An ingest that has begun to write and goes on for a while."""
        self.write_local(range(DOCUMENTS), 0)
        running = self.home.start("ingest", "--json", "--quiet", self.local)
        deadline = time.monotonic() + 120
        while b"\n" not in running.output_so_far():
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(running.process.poll())
            # Output is buffered in blocks: the lock tells earlier that writing has begun.
            rows = self.home.truth("SELECT count(*) FROM generation WHERE state = 'building'")
            if rows[0][0]:
                break
            time.sleep(0.01)
        return running

    def test_a_second_ingest_is_refused(self):
        running = self.start_long_ingest()
        second = self.home.run("ingest", "--json", "--quiet", self.sample)
        rollback = self.home.run("rollback")
        first = running.done() or running.wait()
        for refused in (second, rollback):
            self.assert_code(refused, EXIT_FAILED)
            self.assert_one_complaint(refused, "another process is writing")
        self.assert_code(first, EXIT_OK)
        self.assertEqual(self.assert_all_well(self.home)["documents"], len(STORIES) + DOCUMENTS)
        # Another corpus is another matter.
        self.assert_code(self.home.run("ingest", "--corpus", "zweiter", self.sample), EXIT_OK)

    def test_asking_goes_on_while_an_ingest_runs(self):
        expected = {self.generation(): self.receipt()}
        running = self.start_long_ingest()
        asked = 0
        result = None
        while result is None:
            answer = self.home.run("ask", "--json", "--now", NOW, QUESTION)
            self.assert_code(answer, EXIT_OK)
            receipt = answer.json()
            known = expected.setdefault(receipt["generation"], receipt["receipt_sha256"])
            self.assertEqual(receipt["receipt_sha256"], known)
            asked += 1
            result = running.done()
        self.assert_code(result, EXIT_OK)
        self.assertGreaterEqual(asked, 2)
        self.assertNotEqual(self.ask(self.home, QUESTION)["generation"], min(expected))
        self.assert_all_well(self.home)
        print(f"  {asked} questions answered during the ingest", flush=True)


if __name__ == "__main__":
    bp.main()
