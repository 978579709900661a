"""Kills of remove, purge, backup and restore at every operation on the disk: what is there is whole,
and the next run of the same command comes to its end."""

import hashlib
import json
import random
import shutil
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
import fault_layer  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, NOW  # noqa: E402
from crash_corpus import PURGE, QUESTION, CrashCorpus, CrashTest, without_numbers  # noqa: E402

KILLED = -9
RANDOM_KILLS, ALL_RANDOM_KILLS = 12, 240
REMOVE = ("corpus", "remove", "IGEL")


def setUpModule():
    global corpus, home, BACKUP, RESTORE, backup_file, old_backup
    corpus = CrashCorpus()
    home = corpus.home
    backup_file = home.path / "backups" / "corpus.beleg"
    backup_file.parent.mkdir()
    BACKUP = ("backup", backup_file)
    RESTORE = ("restore", backup_file, "--force")
    assert home.run(*BACKUP).code == EXIT_OK
    old_backup = backup_file.read_bytes()
    assert home.run(*REMOVE).code == EXIT_OK
    remember("removed")
    corpus.restore("old")
    assert home.run("ingest", "--quiet", corpus.documents).code == EXIT_OK
    corpus.save("new")


def tearDownModule():
    corpus.remove()


def remember(edition):
    """What the corpus holds and says now is called that."""
    corpus.contents[edition] = corpus.visible_contents()
    corpus.said[edition] = without_numbers(corpus.case.ask(home, QUESTION))


def begin(saved):
    """The corpus as it was saved (None: none, and nothing of one), and the old backup alone."""
    shutil.rmtree(home.path / "corpora")
    if saved:
        shutil.copytree(corpus.saved / saved, home.corpus_folder())
    shutil.rmtree(backup_file.parent)
    backup_file.parent.mkdir()
    backup_file.write_bytes(old_backup)


def backup_is_whole(path):
    """By its documented layout."""
    raw = path.read_bytes()
    magic, form, zero, offset, size, digest = struct.unpack("<8sIIQQ32s", raw[:64])
    manifest = raw[offset:offset + size]
    return ((magic, form, zero) == (b"BELEGBAK", 1, 0) and hashlib.sha256(manifest).digest() == digest
            and all(hashlib.sha256(raw[part["offset"]:part["offset"] + part["size"]]).hexdigest()
                    == part["sha256"] for part in json.loads(manifest)["parts"]))


class CommandTest(CrashTest):
    def kill_everywhere(self, saved, command, sampled, check):
        """`check(operation)` looks at what a kill left, runs the command again, and returns what it
        found."""
        begin(saved)
        result, operations = fault_layer.record(home, *command)
        self.assert_code(result, EXIT_OK)
        points = [(operation.number, action) for operation in operations for action in ("kill", "tear")
                  if action == "kill" or operation.kind == "write"]
        self.assertGreater(len(points), 20, "the fault layer saw next to nothing")
        found = {}
        for number, action in bp.spread(points, sampled, seed=5):
            with self.subTest(f"{action} at {operations[number - 1]}"):
                begin(saved)
                killed = fault_layer.run(home, *command, at=number, action=action)
                self.assert_code(killed, KILLED)
                state = check()
                found[state] = found.get(state, 0) + 1
        print(f"  {command[0]} {command[1]}: {sum(found.values())} of {len(points)} points: {found}",
              flush=True)
        return found

    def after_remove(self):
        edition = self.assert_whole(corpus, ("old", "removed"), corpus.receipts)
        again = home.run(*REMOVE)
        if edition == "removed":
            self.assert_code(again, EXIT_FAILED)
            self.assert_one_complaint(again, "IGEL")
        else:
            self.assert_code(again, EXIT_OK)
        self.assert_whole(corpus, ("removed",), corpus.receipts)
        return edition

    def after_backup(self):
        """The file is the old backup or a whole new one, and the corpus knows nothing of it."""
        raw = backup_file.read_bytes()
        self.assertTrue(backup_is_whole(backup_file))
        self.assert_all_well(home)
        self.assertEqual(corpus.edition(), "new")
        self.assert_code(home.run(*BACKUP), EXIT_OK)
        self.assertEqual([path.name for path in backup_file.parent.iterdir()], [backup_file.name])
        self.assertTrue(backup_is_whole(backup_file))
        self.assertNotEqual(backup_file.read_bytes(), old_backup)
        return "old" if raw == old_backup else "new"

    def after_restore(self, before):
        self.assertEqual(backup_file.read_bytes(), old_backup)
        edition = self.assert_whole(corpus, (before, "old"), corpus.receipts if before else ())
        self.assert_code(home.run(*RESTORE), EXIT_OK)
        self.assert_whole(corpus, ("old",), corpus.receipts)
        self.assertEqual(sorted(path.name for path in (home.path / "corpora").iterdir()),
                         [".restore.lock", "default"])
        return edition

    def test_remove(self):
        found = self.kill_everywhere("old", REMOVE, 10, self.after_remove)
        self.assertEqual(set(found), {"old", "removed"})

    def test_purge(self):
        found = self.kill_everywhere("new", PURGE, 14, lambda: self.assert_purge_finishes(corpus))
        self.assertIn("begun", found)

    def test_backup(self):
        found = self.kill_everywhere("new", BACKUP, 14, self.after_backup)
        self.assertEqual(set(found), {"old", "new"})

    def test_restore_over_a_corpus(self):
        found = self.kill_everywhere("new", RESTORE, 12, lambda: self.after_restore("new"))
        self.assertEqual(set(found), {"old", "new"})

    def test_restore_where_there_is_none(self):
        self.kill_everywhere(None, RESTORE, 6, lambda: self.after_restore(None))

    def test_purge_erases_what_a_killed_restore_left(self):
        """It stands beside the corpus: a copy from the backup, or the corpus that was replaced."""
        begin("new")
        _, operations = fault_layer.record(home, *RESTORE)
        exchange = [operation.number for operation in operations if operation.kind == "exchange"][0]
        for number in (exchange, exchange + 1):
            begin("new")
            self.assert_code(fault_layer.run(home, *RESTORE, at=number, action="kill"), KILLED)
            self.assertTrue(list((home.path / "corpora").glob(".restore.default/*")))
            self.assert_code(home.run("ingest", "--quiet", corpus.documents), EXIT_OK)
            self.assert_code(home.run(*PURGE), EXIT_OK)
            self.assertFalse((home.path / "corpora" / ".restore.default").exists())
            self.assert_nothing_is_left(corpus)
            self.assert_all_well(home)

    def test_backups_at_once_leave_each_other_alone(self):
        begin("new")
        other = backup_file.with_name("zweite.beleg")
        for _ in range(3):
            running = [home.start("backup", path) for path in (backup_file, other, backup_file)]
            for one in running:
                self.assert_code(one.wait(), EXIT_OK)
        self.assertEqual(sorted(path.name for path in backup_file.parent.iterdir()),
                         [backup_file.name, other.name])
        self.assertTrue(backup_is_whole(backup_file) and backup_is_whole(other))

    def test_kills_at_random_times(self):
        """One after the other upon what the last one left, as it happens on a bad day."""
        draw = random.Random(13)
        begin("new")
        corpus.contents["nothing"] = []  # Rolled back to before the first ingest.
        longest = {}
        killed = 0
        for _ in range(ALL_RANDOM_KILLS if bp.all_of_it() else RANDOM_KILLS):
            command = draw.choice([("ingest", "--quiet", corpus.documents), REMOVE, PURGE, BACKUP,
                                   RESTORE, ("rollback",)])
            running = home.start(*command)
            deadline = time.monotonic() + draw.uniform(0.0, 1.0) * longest.get(command, 0.3)
            result = None
            while result is None and time.monotonic() < deadline:
                time.sleep(0.001)
                result = running.done()
            result = result or running.kill()
            self.assertIn(result.code, (EXIT_OK, EXIT_FAILED, KILLED), str(result))
            if result.code == EXIT_FAILED:
                # There is nothing to remove or to roll back to, or a purge has to be finished first.
                self.assert_one_complaint(result)
            killed += result.code == KILLED
            if result.code == EXIT_OK:
                longest[command] = result.seconds
            edition = corpus.edition()
            if edition != "nothing":
                asked = self.assert_code(home.run("ask", "--json", "--now", NOW, QUESTION), EXIT_OK)
                self.assertEqual(without_numbers(asked.json()), corpus.said[edition])
            audit = home.run("audit", "--json").json()
            self.assertTrue(all("purge was cut short" in finding for finding in audit["findings"]), audit)
            self.assertTrue(backup_is_whole(backup_file))
        self.assert_code(home.run("ingest", "--restart", "--quiet", corpus.documents), EXIT_OK)
        self.assert_code(home.run(*PURGE), EXIT_OK)
        self.assert_nothing_is_left(corpus)
        self.assertEqual(corpus.edition(), "new")
        self.assert_all_well(home)
        print(f"  {killed} commands killed", flush=True)


if __name__ == "__main__":
    bp.main()
