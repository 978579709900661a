"""An interrupted ingest goes on where it was; what fails stays on a list until it succeeds."""

import hashlib
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_PARTIAL, EXIT_USAGE, story, write  # noqa: E402

QUESTION = "Ist Lecanemab in der EU zugelassen?"
STORIES = ["N-2025-0416", "N-2025-0901", "N-2024-0726", "N-2024-1114"]
FILES = 60
RECORDS = 400
PLACES = ["Halle", "Jena", "Gera", "Suhl", "Erfurt", "Weimar", "Gotha", "Eisenach"]
THINGS = ["Brücke", "Schule", "Mühle", "Bahnlinie", "Bücherei", "Sternwarte", "Markthalle"]
CONTENT = ("SELECT v.id, v.document, d.source, d.external_id, hex(v.content_hash), v.origin, p.id, p.ordinal, "
           "p.start_byte, p.end_byte, hex(p.embedding_key) FROM version v, corpus c "
           "JOIN document d ON d.id = v.document JOIN passage p ON p.version = v.id "
           "WHERE v.from_generation <= c.current_generation "
           "AND (v.to_generation IS NULL OR v.to_generation > c.current_generation) ORDER BY p.id")


def local_news(number, edition=0):
    place, thing = PLACES[number % len(PLACES)], THINGS[number % len(THINGS)]
    return (f"In {place} wird die {thing} Nummer {number} im Jahr {1950 + number} wieder eröffnet. "
            f"Fassung {edition}.")


def records(numbers, edition=0):
    return "".join(json.dumps({"id": f"R-{n:04}", "title": f"Meldung {n}", "published": "2024-05-01",
                               "text": local_news(n, edition)}, ensure_ascii=False) + "\n" for n in numbers)


class ResumeTest(bp.ProgramTest):
    @classmethod
    def setUpClass(cls):
        """A home whose pack knows all texts: runs are then quick, and those that are killed, too."""
        cls.model = bp.Home()
        cls.documents = cls.model.folder("pool")
        bp.copy_stories(cls.documents, STORIES)
        for number in range(FILES):
            write(cls.documents / "lokal" / f"{number:03}.md",
                  story(f"L-{number:03}", local_news(number), published="2024-05-01"))
        write(cls.documents / "records.jsonl", records(range(100, 100 + RECORDS)))

    @classmethod
    def tearDownClass(cls):
        cls.model.remove()

    def new_home(self, warm=True):
        home = bp.Home()
        self.addCleanup(home.remove)
        if warm:
            self.warm_pack()
            home.corpus_folder().mkdir(parents=True)
            shutil.copy(type(self).pack, home.corpus_folder() / "embeddings.pack")
        return home

    @classmethod
    def warm_pack(cls):
        if getattr(cls, "pack", None):
            return
        result = cls.model.run("ingest", "--json", "--quiet", "--corpus", "warm", cls.documents, timeout=900)
        assert result.code == EXIT_OK, str(result)
        cls.pack = cls.model.corpus_folder("warm") / "embeddings.pack"

    def job(self, home):
        rows = home.truth("SELECT files_done, files_total, generation FROM ingest_job")
        return rows[0] if rows else None

    def start_until(self, home, ready, *arguments):
        """An ingest that runs until `ready()`; None when it was over before."""
        running = home.start("ingest", "--json", "--quiet", *arguments)
        deadline = time.monotonic() + 300
        while True:
            result = running.done()
            if result is not None:
                return running, result
            if (home.corpus_folder() / "truth.db").exists():
                try:
                    if ready():
                        return running, None
                except bp.sqlite3.OperationalError:
                    pass  # The truth is just being made.
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)

    def kill_when(self, home, ready, *arguments):
        running, result = self.start_until(home, ready, *arguments)
        self.assertIsNone(result, f"it ended before it could be killed: {result}")
        return running.kill()

    def begun(self, home):
        return lambda: bool(home.truth("SELECT 1 FROM ingest_job_file"))

    def content(self, home):
        return home.truth(CONTENT)

    def receipt(self, home):
        return self.ask(home, QUESTION)["receipt_sha256"]

    def index_files(self, home):
        """The bytes of the index, segment by segment: places in the pack are among them."""
        folder = home.index_folder()
        return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in folder.rglob("*") if path.is_file()}

    def reference(self):
        if not hasattr(type(self), "expected"):
            home = self.new_home()
            running, result = self.start_until(home, lambda: self.job(home) is not None, self.documents)
            begun = time.monotonic()
            self.assert_code(result or running.wait(), EXIT_OK)
            type(self).span = time.monotonic() - begun
            type(self).expected = (self.content(home), self.receipt(home),
                                   self.assert_all_well(home)["passages"], self.index_files(home))
        return type(self).expected

    def test_killed_at_random_moments_it_ends_as_if_it_had_not_been(self):
        expected = self.reference()
        draw = random.Random(11)
        resumed = killed = 0
        state = (0, 0)
        for _ in range(5):
            home = self.new_home()
            for _ in range(4):
                running, result = self.start_until(home, lambda: self.job(home) is not None, self.documents)
                if result is None:
                    # Reading, checkpoints, the index, the commit: all within the time the reference took.
                    deadline = time.monotonic() + draw.uniform(0.0, 1.0) * type(self).span
                    while result is None and time.monotonic() < deadline:
                        time.sleep(0.002)
                        result = running.done()
                    result = result or running.kill()
                if result.code == EXIT_OK:
                    break
                self.assertEqual(result.code, -9, str(result))
                killed += 1
                state = home.truth("SELECT (SELECT current_generation FROM corpus), count(*) FROM ingest_job")[0]
                self.assertIn(state, ((0, 1), (1, 0)), "neither as before with a job, nor committed without")
                if state[0] == 1:
                    break
            lines, summary = self.ingest(home, self.documents, timeout=900)
            if state[0] == 0 and result.code != EXIT_OK:
                self.assertIsNotNone(summary["resumed"])
                resumed += 1
                self.assertEqual(len(lines), len(STORIES) + FILES + 1)
                self.assertEqual(summary["added"], len(STORIES) + FILES + RECORDS)
            self.assertIsNone(self.job(home))
            self.assertEqual(self.content(home), expected[0])
            self.assertEqual(self.receipt(home), expected[1])
            self.assertEqual(self.assert_all_well(home)["passages"], expected[2])
            self.assertEqual(self.index_files(home), expected[3])
        self.assertGreaterEqual(killed, 3)
        self.assertGreaterEqual(resumed, 1)
        print(f"  {killed} killed, {resumed} resumed", flush=True)

    def test_encoding_is_killed_and_goes_on(self):
        """Without a warm pack, and killed within the file of records."""
        expected = self.reference()
        home = self.new_home(warm=False)
        within = lambda: bool(home.truth("SELECT 1 FROM ingest_job_file WHERE done = 0 AND record > 50"))  # noqa: E731
        self.kill_when(home, within, self.documents)
        reached = home.truth("SELECT record FROM ingest_job_file WHERE done = 0")[0][0]
        staged = home.truth("SELECT count(*) FROM version")[0][0]
        self.assertEqual(staged, FILES + len(STORIES) + reached)
        lines, summary = self.ingest(home, self.documents, timeout=900)
        self.assertEqual(summary["resumed"]["files_done"], FILES + len(STORIES))
        self.assertEqual(lines["000.md"].get("resumed"), True)
        self.assertNotIn("resumed", lines["records.jsonl"])
        self.assertEqual(lines["records.jsonl"]["documents"], RECORDS)
        # What was staged before is not staged again.
        self.assertLessEqual(summary["encoded"] + summary["reused"], RECORDS - reached + 64)
        self.assertEqual(self.content(home), expected[0])
        self.assertEqual(self.receipt(home), expected[1])
        self.assert_all_well(home)

    def copy_of_documents(self, home):
        folder = home.path / "documents" / "copy"
        shutil.copytree(self.documents, folder)
        return folder

    def test_files_that_changed_meanwhile_are_read_again(self):
        home = self.new_home()
        folder = self.copy_of_documents(home)
        slow = write(folder / "zuletzt.jsonl", records(range(5000, 5400), 1))
        done = lambda: home.truth("SELECT count(*) FROM ingest_job_file WHERE done = 1")[0][0] > FILES  # noqa: E731
        self.kill_when(home, done, folder)
        changed, gone, new = folder / "lokal" / "003.md", folder / "lokal" / "004.md", folder / "lokal" / "000a.md"
        old = changed.stat()
        write(changed, story("L-003", local_news(3, 9), published="2024-05-01"))
        os.utime(changed, ns=(old.st_atime_ns, old.st_mtime_ns))  # Only the bytes count.
        os.utime(folder / "lokal" / "005.md", (1, 1))
        gone.unlink()
        write(new, story("L-NEU", local_news(777), published="2024-05-01"))
        write(folder / "lokal" / "006.md", story("L-UMBENANNT", local_news(6), published="2024-05-01"))
        slow.unlink()
        lines, summary = self.ingest(home, folder, timeout=900)
        self.assertEqual(lines["003.md"]["outcome"], "added")
        self.assertNotIn("resumed", lines["003.md"])
        self.assertTrue(lines["005.md"]["resumed"])
        self.assertNotIn("004.md", lines)
        self.assertGreaterEqual(summary["resumed"]["read_again"], 3)
        other = self.new_home()
        self.ingest(other, folder)
        contents = "SELECT d.external_id, hex(v.content_hash), v.origin, count(p.id) FROM version v JOIN document d " \
                   "ON d.id = v.document JOIN passage p ON p.version = v.id GROUP BY v.id ORDER BY d.external_id"
        self.assertEqual(home.truth(contents), other.truth(contents))
        self.assertEqual(self.assert_all_well(home), {**self.assert_all_well(other)} | {
            key: self.assert_all_well(home)[key] for key in ("index_bytes", "embeddings")})
        self.assertIn("Fassung 9", home.run("search", "--json", "--mode", "lexical", "Fassung 9").out)

    def test_an_update_that_was_killed(self):
        """Superseded versions, removed files, records that are gone: all as without the kill."""
        home, other = self.new_home(), self.new_home()
        folder = self.copy_of_documents(home)
        for one in (home, other):
            self.ingest(one, folder)
        before = self.content(home), self.receipt(home)
        for number in range(0, FILES, 2):
            write(folder / "lokal" / f"{number:03}.md",
                  story(f"L-{number:03}", local_news(number, 1), published="2024-05-01"))
        (folder / "lokal" / "001.md").unlink()
        write(folder / "records.jsonl", records(range(100, 300)) + records(range(300, 480), 1))
        self.kill_when(home, lambda: home.truth("SELECT count(*) FROM version WHERE from_generation = 2")[0][0] > 0,
                       folder)
        # Nothing of it is visible.
        self.assertEqual((self.content(home), self.receipt(home)), before)
        self.assert_all_well(home)
        _, summary = self.ingest(home, folder)
        self.assertIsNotNone(summary["resumed"])
        _, plain = self.ingest(other, folder)
        for field in ("generation", "added", "changed", "unchanged", "removed", "passages", "files"):
            self.assertEqual(summary[field], plain[field], field)
        self.assertEqual(self.content(home), self.content(other))
        self.assertEqual(self.receipt(home), self.receipt(other))
        # New vectors may stand in another order in the pack, so that bytes differ.
        self.assertEqual(self.index_files(home).keys(), self.index_files(other).keys())
        self.assert_all_well(home)
        self.assertEqual(self.home_after_rollback(home), before)

    def test_lost_vectors_are_restored_by_a_run_that_is_killed(self):
        """What the killed run wrote anew stands elsewhere in the pack: no index may look where it was."""
        home, other = self.new_home(), self.new_home()
        folder = self.copy_of_documents(home)
        for one in (home, other):
            self.ingest(one, folder)
        path = home.corpus_folder() / "embeddings.pack"
        pack = bytearray(path.read_bytes())
        for position in range(len(pack) // 8, len(pack), len(pack) // 8):
            pack[position] ^= 0xff
        path.write_bytes(pack)
        write(folder / "lokal" / "neu.md", story("L-NEU", local_news(777), published="2024-05-01"))
        self.kill_when(home, self.begun(home), folder)
        self.assertGreater(path.stat().st_size, len(pack), "nothing was restored before the kill")
        self.assertFalse((home.corpus_folder() / "index").exists())
        _, summary = self.ingest(home, folder)
        self.assertIsNotNone(summary["resumed"])
        self.ingest(other, folder)
        self.assertEqual(self.content(home), self.content(other))
        self.assertEqual(self.receipt(home), self.receipt(other))
        _, summary = self.ingest(home, folder)
        self.assertEqual(summary["encoded"], 0)
        # As searched by late interaction, which reads the pack at the places that the index names.
        for question in [local_news(number) for number in range(100, 100 + RECORDS, 40)]:
            found = [one.run("search", "--json", "--mode", "late", question).json_lines()
                     for one in (home, other)]
            self.assertGreater(len(found[0]), 1)
            for hit in found[0] + found[1]:
                del hit["lists"]  # How many segments were searched is not the same.
            self.assertEqual(*found)

    def home_after_rollback(self, home):
        self.assert_code(home.run("rollback"), EXIT_OK)
        return self.content(home), self.receipt(home)

    def test_other_settings_cut_anew_and_killed(self):
        home, other = self.new_home(), self.new_home()
        side = home.folder("neben")
        write(side / "x.md", story("X", local_news(900) * 30))
        for one in (home, other):
            self.ingest(one, self.documents)
        setting = ("--set", "chunk.max_tokens=48")
        # The folder that is not read is cut anew at the end; the kill falls into that.
        self.kill_when(home, lambda: home.truth("SELECT count(*) FROM version WHERE from_generation = 2")[0][0] > 100,
                       side, *setting)
        _, summary = self.ingest(home, side, *setting)
        self.assertIsNotNone(summary["resumed"])
        self.ingest(other, side, *setting)
        self.assertEqual(self.content(home), self.content(other))
        self.assert_all_well(home)

    def test_ctrl_c_ends_with_a_checkpoint(self):
        expected = self.reference()
        for number in (signal.SIGINT, signal.SIGTERM):
            for delay in (0.2, 0.1, 0.05, 0.0):
                home = self.new_home()
                running, result = self.start_until(home, lambda: self.job(home) is not None, self.documents)
                if result is None:
                    time.sleep(delay)
                    os.kill(running.process.pid, number)
                    result = running.wait()
                if result.code != EXIT_OK:
                    break  # Else it was over before: sooner.
            self.assert_code(result, EXIT_FAILED)
            self.assert_one_complaint(result, "interrupted", "of 65 files were done", "--restart")
            done = self.job(home)
            self.assertIsNotNone(done)
            doctor = home.run("doctor")
            self.assertIn("unfinished", doctor.out)
            self.assertIn(f"{done[0]} of 65 files were done", doctor.out)
            resumed = self.assert_code(home.run("ingest", "--quiet", self.documents), EXIT_OK)
            self.assertRegex(resumed.out, r"resuming the ingest interrupted at 20\d\d-[^ ]+Z: "
                             rf"{done[0]} of 65 files were done\n")
            self.assertEqual(self.content(home), expected[0])
            self.assertEqual(self.receipt(home), expected[1])
            self.assertNotIn("unfinished", home.run("doctor").out)

    def test_a_disk_with_too_little_room(self):
        """On a file system of its own, which ends with the process."""
        home = self.new_home(warm=False)
        home.corpus_folder().mkdir(parents=True)
        mount = 'mount -t tmpfs -o size={} tmpfs "$0" && exec "$@"'
        for size, when in (("40m", "at once"), ("54m", "on the way")):
            home.prefix = ["unshare", "-rm", "sh", "-c", mount.format(size), str(home.corpus_folder())]
            if home.run("--version").code != EXIT_OK:
                self.skipTest("this system mounts no file system for ordinary users")
            result = self.assert_code(home.run("ingest", "--json", "--quiet", self.documents), EXIT_FAILED)
            self.assert_one_complaint(result, "free", "the next batch and the index of", "free some disk space")
            self.assertEqual("the same command resumes" in result.err, when == "on the way", when)

    def interrupted_home(self):
        home = self.new_home()
        self.ingest(home, write(home.path / "documents" / "eins.md", story("E", local_news(1))))
        self.kill_when(home, self.begun(home), self.documents)
        return home

    def test_other_runs_discard_it_and_say_so(self):
        home = self.interrupted_home()
        eins = home.path / "documents" / "eins.md"
        write(eins, story("E", local_news(2)))
        result = self.assert_code(home.run("ingest", "--quiet", eins), EXIT_OK)
        self.assertIn("discarded the ingest interrupted at", result.out)
        self.assertIn("other paths", result.out)
        self.assertEqual(self.assert_all_well(home)["documents"], 1)
        home = self.interrupted_home()
        result = self.assert_code(home.run("ingest", "--quiet", "--set", "chunk.max_tokens=64", self.documents), EXIT_OK)
        self.assertIn("settings were others", result.out)
        # A setting that does not matter for what is staged changes nothing.
        home = self.interrupted_home()
        result = self.assert_code(home.run("ingest", "--quiet", "--set", "rerank.keep=5", self.documents), EXIT_OK)
        self.assertIn("resuming", result.out)

    def test_restart_discards(self):
        home = self.interrupted_home()
        result = self.assert_code(home.run("ingest", "--quiet", "--restart", self.documents), EXIT_OK)
        self.assertIn("discarded", result.out)
        self.assertNotIn("resuming", result.out)
        self.assert_all_well(home)
        home = self.interrupted_home()
        result = self.assert_code(home.run("ingest", "--restart"), EXIT_OK)
        self.assertIn("discarded", result.out)
        self.assertIsNone(self.job(home))
        self.assertEqual(home.truth("SELECT count(*) FROM generation WHERE state = 'building'")[0][0], 0)
        self.assert_one_complaint(self.assert_code(home.run("ingest", "--restart"), EXIT_FAILED), "unfinished")
        self.assert_code(home.run("ingest"), EXIT_USAGE)

    def test_other_writers_are_refused(self):
        home = self.interrupted_home()
        for arguments in (("corpus", "remove", "E"), ("corpus", "purge", "--yes")):
            result = self.assert_code(home.run(*arguments), EXIT_FAILED)
            self.assert_one_complaint(result, "unfinished", "--restart")
        self.assertIsNotNone(self.job(home))
        # A backup is of what is committed.
        backup = home.path / "corpus.beleg"
        self.assert_code(home.run("backup", str(backup)), EXIT_OK)
        self.assert_code(home.run("restore", str(backup), "--corpus", "zweite"), EXIT_OK)
        self.assertEqual(home.truth("SELECT count(*) FROM ingest_job", corpus="zweite"), [(0,)])
        self.assertEqual(self.assert_all_well(home, "zweite")["documents"], 1)
        self.assert_code(home.run("ingest", "--restart"), EXIT_OK)
        self.assert_code(home.run("corpus", "remove", "E"), EXIT_OK)
        self.assert_code(home.run("corpus", "purge", "--yes"), EXIT_OK)

    def test_rollback_discards_it_and_says_so(self):
        home = self.interrupted_home()
        result = self.assert_code(home.run("rollback"), EXIT_OK)
        self.assertIn("discarded the ingest interrupted at", result.out)
        self.assertIsNone(self.job(home))
        self.assertEqual(home.truth("SELECT count(*) FROM version")[0][0], 0)


class DeadLetterTest(bp.ProgramTest):
    def setUp(self):
        self.home = bp.Home()
        self.addCleanup(self.home.remove)
        self.folder = self.home.folder("pool")

    def failures(self):
        return self.home.run("corpus", "failures", "--json").json_lines()

    def test_every_bad_record_stays_until_it_succeeds(self):
        good = '{"id": "G%d", "text": "Satz Nummer %d über Flüsse."}\n'
        write(self.folder / "a.jsonl", good % (1, 1) + "{kein json\n" + '{"id": "leer"}\n' + good % (2, 2))
        write(self.folder / "b.md", "")
        write(self.folder / "c.md", story("C", "Der Dachs gräbt."))
        self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        first = self.failures()
        self.assertEqual([(os.path.basename(f["path"]), f["record"], f["attempts"]) for f in first],
                         [("a.jsonl", 2, 1), ("a.jsonl", 3, 1), ("b.md", 0, 1)])
        self.assertEqual(first[2]["code"], "invalid_argument")
        for failure in first:
            self.assertTrue(failure["reason"] and failure["remedy"], failure)
        # A second run over an unchanged folder commits nothing, and counts the attempt.
        _, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assertIsNone(summary["generation"])
        self.assertEqual([f["attempts"] for f in self.failures()], [2, 2, 2])
        self.assertEqual([f["first_at"] for f in self.failures()], [f["first_at"] for f in first])
        # An ingest of something else leaves the list as it is.
        self.ingest(self.home, write(self.home.folder("neben") / "n.md", story("N", "Der Fuchs jagt.")))
        self.assertEqual(len(self.failures()), 3)
        # One is mended, one is gone.
        write(self.folder / "a.jsonl", good % (1, 1) + good % (7, 7) + '{"id": "leer"}\n' + good % (2, 2))
        (self.folder / "b.md").unlink()
        self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assertEqual([(f["record"], f["attempts"]) for f in self.failures()], [(3, 3)])
        text = self.home.run("corpus", "failures").out
        self.assertIn("line 3", text)
        self.assertIn("attempts 3", text)
        number = self.failures()[0]["id"]
        self.assert_code(self.home.run("corpus", "failures", "--dismiss", "x"), EXIT_USAGE)
        self.assert_code(self.home.run("corpus", "failures", "--dismiss", "99999"), EXIT_FAILED)
        self.assert_code(self.home.run("corpus", "failures", "--dismiss", str(number)), EXIT_OK)
        self.assertEqual(self.failures(), [])

    def test_retry_reads_only_what_failed(self):
        write(self.folder / "a.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
        write(self.folder / "b.md", story("B", "Der Dachs gräbt einen Bau."))
        write(self.folder / "c.md", story("C", "Der Igel frisst Käfer."))
        write(self.folder / "d.md", "")
        self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        write(self.folder / "a.md", story("A", "Die Eule sitzt auf einem Balken."))
        write(self.folder / "b.md", story("B", "Das steht jetzt anders da."))
        (self.folder / "c.md").unlink()
        lines, summary = self.ingest(self.home, "--retry-failed", codes=(EXIT_PARTIAL,))
        self.assertEqual({name: line["outcome"] for name, line in lines.items()}, {"a.md": "added", "d.md": "failed"})
        self.assertEqual((summary["added"], summary["changed"], summary["removed"]), (1, 0, 0))
        self.assertEqual(summary["generation"], 2)
        self.assertEqual([os.path.basename(f["path"]) for f in self.failures()], ["d.md"])
        self.assertIn("C", self.found(self.home, "Igel frisst Käfer"))
        self.assertEqual(self.assert_all_well(self.home)["documents"], 3)
        # The same identity as an ingest of the folder gives it.
        (self.folder / "d.md").unlink()
        _, summary = self.ingest(self.home, self.folder)
        self.assertEqual((summary["added"], summary["changed"], summary["removed"]), (0, 1, 1))
        self.assertEqual(self.failures(), [])
        _, summary = self.ingest(self.home, "--retry-failed")
        self.assertIsNone(summary["generation"])
        self.assert_code(self.home.run("ingest", "--retry-failed", self.folder), EXIT_USAGE)

    def test_retry_takes_no_id_from_a_file_that_is_well(self):
        write(self.folder / "a.md", story("A", "Die erste Fassung über die Brücke."))
        write(self.folder / "b.md", story("A", "Die zweite handelt vom Hafen."))
        self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        lines, summary = self.ingest(self.home, "--retry-failed", codes=(EXIT_FAILED, EXIT_PARTIAL))
        self.assertIn("a.md", lines["b.md"]["reason"])
        self.assertIsNone(summary["generation"])
        self.assertEqual(len(self.failures()), 1)
        self.assertIn("erste Fassung", self.home.run("search", "--json", "Brücke").out)
        # A file that was moved takes its id along.
        (self.folder / "a.md").unlink()
        _, summary = self.ingest(self.home, "--retry-failed")
        self.assertEqual(summary["changed"], 1)
        self.assertEqual(self.failures(), [])

    def test_retry_of_a_corpus_that_is_not_there_makes_none(self):
        result = self.assert_code(self.home.run("ingest", "--corpus", "vertippt", "--retry-failed"), EXIT_FAILED)
        self.assertIn("vertippt", result.err)
        self.assertFalse(self.home.corpus_folder("vertippt").exists())

    def test_a_source_that_is_not_there_keeps_its_list(self):
        write(self.folder / "a.md", "")
        write(self.folder / "b.md", story("B", "Der Dachs gräbt einen Bau."))
        self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        away = self.folder.rename(self.folder.with_name("fort"))
        self.ingest(self.home, "--retry-failed", codes=(EXIT_FAILED,))
        self.assertEqual(len(self.failures()), 1)
        away.rename(self.folder)
        (self.folder / "a.md").unlink()
        self.ingest(self.home, "--retry-failed", codes=(EXIT_OK,))
        self.assertEqual(self.failures(), [])

    def test_a_file_of_bad_records_is_bounded_and_says_so(self):
        write(self.folder / "a.jsonl", '{"id": "G", "text": "Ein Satz."}\n' + "{kein json\n" * 2500)
        self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        failures = self.failures()
        self.assertEqual(len(failures), 1000)
        self.assertEqual(sum(f["more"] for f in failures), 1500)
        self.assertIn("and 1500 more records of this file", self.home.run("corpus", "failures").out)

    def test_the_list_survives_a_rollback(self):
        write(self.folder / "a.md", "")
        write(self.folder / "b.md", story("B", "Der Dachs gräbt einen Bau."))
        self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assert_code(self.home.run("rollback"), EXIT_OK)
        self.assertEqual(len(self.failures()), 1)


if __name__ == "__main__":
    bp.main()
