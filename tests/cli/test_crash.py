"""Kill -9 at any moment: the corpus is at the old generation or the new one, never between."""

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, NOW, story, write  # noqa: E402
from crash_corpus import without_numbers  # noqa: E402

QUESTION = "Ist Lecanemab in der EU zugelassen?"
STORIES = ["N-2025-0416", "N-2025-0901", "N-2024-0726", "N-2024-1114", "N-2024-0821", "E-2025-0519"]
DOCUMENTS = 100
KILLS, ALL_KILLS = 12, 420
ROLLBACK_KILLS, ALL_ROLLBACK_KILLS = 5, 80
EDITIONS = 3
ASKERS = 3
INGESTS_BESIDE_ASKERS, ALL_INGESTS_BESIDE_ASKERS = 6, 60
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

    def holds_a_lock(self, process):
        """Whoever writes holds one; locks of SQLite are of another kind."""
        with open("/proc/locks", encoding="ascii") as locks:
            return any(f" {process.pid} " in line and "FLOCK" in line for line in locks)

    def start_and_wait_for_the_lock(self, *command):
        running = self.home.start(*command)
        result = None
        while result is None and not self.holds_a_lock(running.process):
            time.sleep(0.001)
            result = running.done()
        return running, result

    def kill_after(self, running, result, delay):
        """Its result, or that of the kill when it was not done by then."""
        deadline = time.monotonic() + delay
        while result is None and time.monotonic() < deadline:
            time.sleep(0.001)
            result = running.done()
        return result or running.kill()

    def test_kill_during_ingest(self):
        self.write_local(range(DOCUMENTS), 0)
        first = self.ask(self.home, QUESTION)
        said = without_numbers(first)[0]
        expected = {first["generation"]: first["receipt_sha256"]}
        rounds = killed = completed = 0
        span = 3.0  # Seconds from taking the lock to the end; a guess until one got through.
        while killed < (ALL_KILLS if bp.all_of_it() else KILLS):
            rounds += 1
            before = max(expected)
            running, result = self.start_and_wait_for_the_lock(
                "ingest", "--json", "--quiet", self.local)
            begun = time.monotonic()
            # Early, in the middle, and around the commit and the cleaning up at the end.
            result = self.kill_after(running, result, self.draw.uniform(0, 1.1) * span)
            self.assertIn(result.code, (EXIT_OK, -9), str(result))
            killed += result.code == -9
            if result.code == EXIT_OK:
                completed += 1
                span = time.monotonic() - begun
            answer = self.ask(self.home, QUESTION)
            now = answer["generation"]
            self.assertGreaterEqual(now, before)
            if result.code == EXIT_OK:
                self.assertGreater(now, before, "it said that it was done")
            self.assertEqual(expected.setdefault(now, answer["receipt_sha256"]),
                             answer["receipt_sha256"], f"round {rounds}: another answer")
            # What else is in the corpus moves the thresholds of later sentences, not the first.
            self.assertEqual(without_numbers(answer)[0], said)
            audit = self.assert_all_well(self.home)
            if len(expected) == 1:
                self.assertEqual(audit["documents"], len(STORIES))
            else:
                self.assertEqual(audit["documents"], len(STORIES) + DOCUMENTS)
            self.assertLess(rounds, 4 * killed + 60, "too few are killed before their end")
            if now > before:
                # It got through: give the next rounds something to do.
                self.write_local(self.draw.sample(range(DOCUMENTS), 10), rounds % EDITIONS + 1)
        _, summary = self.ingest(self.home, self.local)
        self.assertEqual(self.assert_all_well(self.home)["documents"], len(STORIES) + DOCUMENTS)
        self.assertEqual(summary["failed"], 0)
        found = self.found(self.home, "Sternwarte Nummer 96", "--mode", "lexical", "--k", "1")
        self.assertEqual(found, ["L-096"])
        for receipt in expected.values():
            self.assertEqual(self.home.run("verify", receipt).code, EXIT_OK)
        print(f"  {killed} ingests killed, {completed} completed, {len(expected)} generations",
              flush=True)

    def test_kill_during_rollback(self):
        self.write_local(range(40), 0)
        old = (self.generation(), self.receipt())
        self.ingest(self.home, self.local)
        new = (self.generation(), self.receipt())
        killed = undone = 0
        while killed < (ALL_ROLLBACK_KILLS if bp.all_of_it() else ROLLBACK_KILLS):
            running, result = self.start_and_wait_for_the_lock("rollback")
            result = self.kill_after(running, result, self.draw.uniform(0.0, 0.03))
            killed += result.code == -9
            self.assertIn(result.code, (EXIT_OK, -9))
            now = (self.receipt(), self.generation())[::-1]
            self.assertIn(now, (old, new))
            if result.code == EXIT_OK:
                self.assertEqual(now, old)
            audit = self.assert_all_well(self.home)
            self.assertEqual(audit["documents"], len(STORIES) + (0 if now == old else 40))
            if now == old:
                undone += 1
                self.ingest(self.home, self.local)
                new = (self.generation(), self.receipt())
        print(f"  {killed} rollbacks killed, {undone} got through", flush=True)

    def test_nobody_is_locked_out(self):
        """Processes that ask, audit and ingest the same corpus at once, over and over."""
        commands = [("ask", "--json", "--now", NOW, QUESTION)] * ASKERS + [("audit",)]
        ingest = ("ingest", "--json", "--quiet", self.local)
        self.write_local(range(20), 0)
        wanted = ALL_INGESTS_BESIDE_ASKERS if bp.all_of_it() else INGESTS_BESIDE_ASKERS
        beside = [self.home.start(*command) for command in commands]
        counts = dict.fromkeys(("ask", "audit", "ingest"), 0)
        receipts = {}
        writer = self.home.start(*ingest)
        while counts["ingest"] < wanted:
            time.sleep(0.005)
            for i, running in enumerate(beside):
                result = running.done()
                if result is None:
                    continue
                self.assert_code(result, EXIT_OK)
                counts[commands[i][0]] += 1
                if commands[i][0] == "ask":
                    answer = result.json()
                    known = receipts.setdefault(answer["generation"], answer["receipt_sha256"])
                    self.assertEqual(answer["receipt_sha256"], known)
                beside[i] = self.home.start(*commands[i])
            result = writer.done()
            if result is not None:
                self.assert_code(result, EXIT_OK)
                counts["ingest"] += 1
                self.write_local(range(20), counts["ingest"] % EDITIONS)
                writer = self.home.start(*ingest)
        for running in [*beside, writer]:
            self.assert_code(running.wait(), EXIT_OK)
        self.assertGreater(len(receipts), 1, "no question saw a new generation")
        self.assert_all_well(self.home)
        print(f"  {counts} at once, no failure", flush=True)

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
