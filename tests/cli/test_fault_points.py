"""Kills at every operation on the disk, and disks that fail: nothing is lost, nothing is claimed."""

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
import disk_model  # noqa: E402
import fault_layer  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_PARTIAL, NOW, story, write  # noqa: E402
from crash_corpus import QUESTION, CrashCorpus, CrashTest, without_numbers  # noqa: E402

KILLED = -9
ASK = ("ask", "--json", "--now", NOW, QUESTION)


def setUpModule():
    global corpus, home, INGEST
    corpus = CrashCorpus()
    home = corpus.home
    INGEST = ("ingest", "--json", "--quiet", corpus.documents)
    assert home.run(*INGEST).code == EXIT_OK
    corpus.save("new")
    corpus.restore("old")
    shutil.rmtree(home.corpus_folder() / "index")
    corpus.save("old without index")


def tearDownModule():
    corpus.remove()


class KillTest(CrashTest):
    """Before each operation, and in the middle of it."""

    def kill_everywhere(self, saved, command, editions, sampled, receipts=None):
        """From the saved corpus. `editions`: before and after the command."""
        receipts = corpus.receipts if receipts is None else receipts
        corpus.restore(saved)
        hashes = {}
        if editions[0] is not None and "index" not in saved:
            hashes[corpus.generation()] = self.ask(home, QUESTION)["receipt_sha256"]
        corpus.restore(saved)
        result, operations = fault_layer.record(home, *command)
        self.assert_code(result, EXIT_OK, EXIT_PARTIAL)
        generation = corpus.generation()
        hashes.setdefault(generation, self.ask(home, QUESTION)["receipt_sha256"])
        points = [(operation.number, action) for operation in operations
                  for action in ("kill", "tear")
                  if action == "kill" or operation.kind == "write"]
        found = {}
        for turn, (number, action) in enumerate(bp.spread(points, sampled, seed=5)):
            with self.subTest(f"{action} at {operations[number - 1]}"):
                corpus.restore(saved)
                killed = fault_layer.run(home, *command, at=number, action=action)
                self.assert_code(killed, KILLED)
                edition = self.assert_whole(corpus, editions, receipts if saved else (),
                                            derived_may_be_lost="index" in (saved or ""))
                found[edition] = found.get(edition, 0) + 1
                if edition is not None and not self.answer["degraded"]:
                    self.assertEqual(self.answer["receipt_sha256"], hashes[corpus.generation()])
                if turn % 2 == 0 or edition is None or bp.all_of_it():
                    self.assert_goes_on(corpus)
        print(f"  {sum(found.values())} of {len(points)} points: {found}", flush=True)

    def test_ingest(self):
        self.kill_everywhere("old", INGEST, ("old", "new"), sampled=17)

    def test_rollback(self):
        self.kill_everywhere("new", ("rollback",), ("new", "old"), sampled=8)

    def test_ask(self):
        self.kill_everywhere("old", ASK, ("old", "old"), sampled=4)

    def test_ask_that_builds_the_index_again(self):
        self.kill_everywhere("old without index", ASK, ("old", "old"), sampled=3)

    def test_first_ingest(self):
        self.kill_everywhere(None, INGEST, (None, "new"), sampled=7)

    def test_settings_file(self):
        settings = home.path / "beleg.toml"
        self.addCleanup(settings.unlink)
        result, operations = fault_layer.record(home, "init")
        self.assert_code(result, EXIT_OK)
        whole = settings.read_bytes()
        for operation in operations:
            for action in ("kill", "tear"):
                settings.unlink(missing_ok=True)
                fault_layer.run(home, "init", at=operation.number, action=action)
                if settings.exists():
                    self.assertEqual(settings.read_bytes(), whole, f"{action} at {operation}")
                self.assert_code(home.run("config"), EXIT_OK)
        for path in home.path.glob("beleg.toml.*"):
            path.unlink()


class FaultTest(CrashTest):
    def setUp(self):
        corpus.restore("old")

    def operations(self, kind):
        _, operations = fault_layer.record(home, *INGEST)
        corpus.restore("old")
        return [operation for operation in operations if operation.kind == kind]

    def assert_clear(self, result):
        """It failed and says why in one line, or it did what it says."""
        self.assert_code(result, EXIT_OK, EXIT_FAILED)
        if result.code == EXIT_FAILED:
            self.assert_one_complaint(result)
            self.assertRegex(result.err, r"\(.+\)$", "no remedy")
            return {"old", "new"}  # A flush that fails leaves open whether its bytes arrived.
        return {"new"}

    def test_full_disk_from_any_write_on(self):
        for point in bp.spread(self.operations("write"), 5, seed=7):
            with self.subTest(str(point)):
                corpus.restore("old")
                full = fault_layer.run(home, *INGEST, at=point.number, action="full")
                editions = self.assert_clear(full)
                if full.code == EXIT_FAILED:
                    self.assertIn("space", full.err)
                    editions = {"old"}
                self.assert_whole(corpus, editions, corpus.receipts)
                self.assert_goes_on(corpus)

    def test_full_disk_still_answers(self):
        result = fault_layer.run(home, *ASK, at=1, action="full")
        self.assert_code(result, EXIT_PARTIAL)
        answer = result.json()
        self.assertEqual(without_numbers(answer), corpus.said["old"])
        self.assert_not_recorded_for_want_of_space(answer)
        self.assert_whole(corpus, {"old"}, corpus.receipts)

    def assert_not_recorded_for_want_of_space(self, answer):
        self.assertEqual([entry["step"] for entry in answer["degraded"]], ["record"])
        reason = answer["degraded"][0]["reason"]
        self.assertIn("the disk is full", reason)
        self.assertIn("free some disk space", reason)
        self.assertNotIn("permission", reason)

    def test_full_disk_with_a_log_that_a_kill_left_still_answers(self):
        """There is no room for the index of the log, without which its rows cannot be found."""
        last = [operation for operation in self.operations("write")
                if operation.name == "truth.db-wal"][-1]
        self.assert_code(fault_layer.run(home, *INGEST, at=last.number, action="kill"), KILLED)
        log = home.corpus_folder() / "truth.db-wal"
        (home.corpus_folder() / "truth.db-shm").unlink(missing_ok=True)
        before = log.read_bytes()
        self.assertGreater(len(before), 0)
        for _ in range(2):
            result = fault_layer.run(home, *ASK, at=1, action="full")
            self.assert_code(result, EXIT_PARTIAL)
            self.assertEqual(without_numbers(result.json()), corpus.said["old"])
            self.assert_not_recorded_for_want_of_space(result.json())
            self.assertEqual(log.read_bytes(), before)
        refused = fault_layer.run(home, *INGEST, at=1, action="full")
        self.assert_code(refused, EXIT_FAILED)
        self.assert_one_complaint(refused, "free some disk space")
        self.assert_whole(corpus, {"old"}, corpus.receipts)
        self.assert_goes_on(corpus)

    def test_full_disk_is_said_by_what_would_write(self):
        for command in (INGEST, ("corpus", "tag", "druck"), ("rollback",)):
            with self.subTest(command[0]):
                corpus.restore("old")
                result = fault_layer.run(home, *command, at=1, action="full")
                self.assert_code(result, EXIT_FAILED)
                self.assert_one_complaint(result, "free some disk space")
                self.assertNotIn("permission", result.err)
        self.assert_whole(corpus, {"old"}, corpus.receipts)

    def test_index_in_the_place_of_a_damaged_one(self):
        """One exchange, then a flush of the folder; whatever stops it, the next question goes on."""

        def damage():
            corpus.restore("old")
            rows = home.index_folder() / "segment.0" / "rows.idx"
            content = bytearray(rows.read_bytes())
            content[16] ^= 0xff
            rows.unlink()  # It is linked into other generations.
            rows.write_bytes(content)

        damage()
        result, operations = fault_layer.record(home, *ASK)
        self.assert_code(result, EXIT_PARTIAL)
        exchanges = [operation for operation in operations if operation.kind == "exchange"]
        self.assertEqual(len(exchanges), 1, [str(operation) for operation in operations])
        exchange = exchanges[0].number
        flush = operations[exchange]
        self.assertEqual((flush.kind, Path(flush.path)), ("sync", home.corpus_folder() / "index"))
        for number in (exchange, exchange + 1, exchange + 2):
            damage()
            self.assert_code(fault_layer.run(home, *ASK, at=number, action="kill"), KILLED)
            self.assert_whole(corpus, {"old"}, corpus.receipts, derived_may_be_lost=True)
        damage()
        failed = fault_layer.run(home, *ASK, at=exchange, action="fail", error="EIO")
        self.assert_code(failed, EXIT_FAILED)
        self.assert_one_complaint(failed, "cannot replace the folder", "check the disk")
        self.assert_whole(corpus, {"old"}, corpus.receipts, derived_may_be_lost=True)

    def test_flush_that_fails_is_no_success(self):
        """What a run claims must be there after a power cut that follows at once, and so must what
        the run after it claims, although the pages that were not flushed count as clean."""
        syncs = self.operations("sync")
        for sync in bp.spread(syncs, 6, seed=9):
            with self.subTest(str(sync)):
                corpus.restore("old")
                disk = disk_model.Disk(home.path)
                failed, operations = fault_layer.record(
                    home, *INGEST, at=sync.number, action="fail", error="EIO")
                again, more = fault_layer.record(home, *INGEST)
                self.assert_code(again, EXIT_OK)
                editions = self.assert_clear(failed)
                for operation in operations:
                    disk.take(operation)
                self.assert_safe(disk, editions)
                for operation in more:
                    disk.take(operation)
                self.assert_safe(disk, {"new"})
                self.assert_whole(corpus, {"new"}, corpus.receipts)

    def test_vectors_whose_flush_failed_are_made_again(self):
        """They could still be read, but no later flush would put them on the disk."""
        added = write(corpus.documents / "dachs.md", story("DACHS", "Der Dachs gräbt Gänge."))
        self.addCleanup(added.unlink)
        flush = [operation for operation in self.operations("sync")
                 if operation.name == "embeddings.pack"][-1]
        disk = disk_model.Disk(home.path)
        failed, operations = fault_layer.record(home, *INGEST, at=flush.number, action="fail",
                                                error="EIO")
        self.assertTrue([o for o in operations
                         if (o.kind, o.name) == ("write", "embeddings.pack")], "nothing to flush")
        self.assert_code(failed, EXIT_FAILED)
        self.assert_one_complaint(failed, "embeddings.pack")
        again, more = fault_layer.record(home, *INGEST)
        self.assert_code(again, EXIT_OK)
        self.assertEqual(again.json_lines()[-1]["summary"]["encoded"], 1)
        for operation in [*operations, *more]:
            disk.take(operation)
        self.leave_only_what_is_safe(disk)
        self.assert_all_well(home)

    def assert_safe(self, disk, editions):
        """After a power cut that leaves only what is safe."""
        self.leave_only_what_is_safe(disk)
        self.assertIn(corpus.edition(), editions)
        self.assert_all_well(home)

    def leave_only_what_is_safe(self, disk):
        shutil.rmtree(home.path / "corpora")
        state = corpus.saved / "state"
        state.mkdir()
        disk.write_out(state, disk_model.Dropped())
        shutil.move(state / "corpora", home.path / "corpora")
        shutil.rmtree(state)

    def test_disk_whose_flushes_all_fail(self):
        result = fault_layer.run(home, *INGEST, at=1, action="fail", error="EIO", lasts=1,
                                 kinds="sync")
        self.assert_code(result, EXIT_FAILED)
        self.assert_one_complaint(result)
        self.assert_whole(corpus, {"old"}, corpus.receipts)
        asked = fault_layer.run(home, *ASK, at=1, action="fail", error="EIO", lasts=1, kinds="sync")
        self.assert_code(asked, EXIT_PARTIAL)
        self.assertEqual([entry["step"] for entry in asked.json()["degraded"]], ["record"])
        rolled = fault_layer.run(home, "rollback", at=1, action="fail", error="EIO", lasts=1,
                                 kinds="sync")
        self.assert_code(rolled, EXIT_FAILED)
        self.assert_one_complaint(rolled)
        self.assert_whole(corpus, {"old"}, corpus.receipts)

    def test_read_only_file_system(self):
        before = corpus.visible_contents()
        faults = {"at": 1, "action": "fail", "error": "EROFS", "lasts": 1}
        for command in (INGEST, ("rollback",)):
            result = self.assert_code(fault_layer.run(home, *command, **faults), EXIT_FAILED)
            self.assert_one_complaint(result)
        asked = self.assert_code(fault_layer.run(home, *ASK, **faults), EXIT_PARTIAL)
        self.assertEqual(without_numbers(asked.json()), corpus.said["old"])
        self.assertEqual([entry["step"] for entry in asked.json()["degraded"]], ["record"])
        for command in (("audit",), ("search", QUESTION), ("verify", corpus.receipts[0])):
            self.assert_code(fault_layer.run(home, *command, **faults), EXIT_OK)
        self.assertEqual(corpus.visible_contents(), before)

    def test_every_write_takes_half(self):
        result = fault_layer.run(home, *INGEST, at=1, action="short", lasts=1)
        self.assert_code(result, EXIT_OK)
        self.assert_whole(corpus, {"new"}, corpus.receipts)


class LayerTest(CrashTest):
    """The layer itself: what it does not see, no test above would notice."""

    def test_a_journal_makes_the_same_disk(self):
        corpus.restore(None)
        disk = disk_model.Disk(home.path)
        result, operations = fault_layer.record(home, *INGEST)
        self.assert_code(result, EXIT_OK)
        for operation in operations:
            disk.take(operation)
        state = corpus.saved / "state"
        state.mkdir()
        self.addCleanup(shutil.rmtree, state)
        disk.write_out(state, disk_model.Kept())
        files = {path.relative_to(home.path): path.read_bytes()
                 for path in (home.path / "corpora").rglob("*") if path.is_file()}
        made = {path.relative_to(state): path.read_bytes()
                for path in (state / "corpora").rglob("*") if path.is_file()}
        self.assertEqual(sorted(made), sorted(files))
        for path, content in files.items():
            self.assertEqual(made[path], content, path)


if __name__ == "__main__":
    bp.main()
