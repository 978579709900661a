"""A power cut at any point: of what was not flushed any part may be gone, and nothing else is.

Commands run once above the fault layer, which writes down all they do to the disk. From that the
states are made that a power cut may leave (tests/support/disk_model.py), and each is opened."""

import copy
import random
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
import disk_model  # noqa: E402
import fault_layer  # noqa: E402
from beleg_program import EXIT_OK, NOW  # noqa: E402
from crash_corpus import PURGE, QUESTION, CrashCorpus, CrashTest, without_numbers  # noqa: E402

CHOICES = {
    "dropped": lambda draw: disk_model.Dropped(),
    "kept": lambda draw: disk_model.Kept(),
    "data only": lambda draw: disk_model.DataOnly(),
    "names only": lambda draw: disk_model.NamesOnly(),
    "names and lengths": lambda draw: disk_model.NamesAndLengths(),
    "half of the 512-byte sectors": lambda draw: disk_model.Torn(draw, 512, 0.5),
    "most of the 4096-byte sectors": lambda draw: disk_model.Torn(draw, 4096, 0.8),
    "few of the 4096-byte sectors": lambda draw: disk_model.Torn(draw, 4096, 0.2),
}


class Recording:
    """Commands that ran one after the other, and what each promised when it ended."""

    def __init__(self, corpus, edition):
        self.corpus = corpus
        self.first = disk_model.Disk(corpus.home.path)
        self.operations = []
        # From that many operations on: the edition, and the receipts that were given out.
        self.promises = [(0, edition, list(corpus.receipts) if edition else [])]

    def run(self, edition, *arguments):
        """A command that leaves the corpus at `edition`."""
        result, operations = fault_layer.record(self.corpus.home, *arguments)
        assert result.code == EXIT_OK, str(result)
        assert operations, "the fault layer saw nothing"
        receipts = self.promises[-1][2]
        if arguments[0] == "ask":
            receipts = [*receipts, result.json()["receipt_sha256"]]
        self.operations.extend(operations)
        self.promises.append((len(self.operations), edition, receipts))

    def promised(self, point):
        """The editions that may be found after that many operations, and the receipts that must."""
        kept = max(i for i, promise in enumerate(self.promises) if promise[0] <= point)
        start, edition, receipts = self.promises[kept]
        editions = {edition}
        if start < point:
            editions.add(self.promises[kept + 1][1])
        return editions, receipts

    def disk(self, point, ext4):
        disk = copy.deepcopy(self.first)
        disk.ext4 = ext4
        for operation in self.operations[:point]:
            disk.take(operation)
        return disk

    def leave(self, point, ext4, choice, seed):
        """Makes the corpora what a power cut after that many operations may leave."""
        target = self.corpus.home.path / "corpora"
        shutil.rmtree(target)
        with tempfile.TemporaryDirectory(prefix="beleg-test-state-") as state:
            self.disk(point, ext4).write_out(state, CHOICES[choice](random.Random(seed)))
            if (Path(state) / "corpora").exists():
                shutil.move(Path(state) / "corpora", target)
            else:
                target.mkdir()

    def states(self, sampled, most):
        """Points, rules and choices: the end of each command with nothing but what is safe, and a
        sample of all others."""
        ends = [(point, ext4, "dropped") for point, _, _ in self.promises[1:]
                for ext4 in (False, True)]
        others = [(point, ext4, choice) for point in range(1, len(self.operations) + 1)
                  for ext4 in (False, True) for choice in CHOICES]
        count = most if bp.all_of_it() else sampled
        draw = random.Random(23)
        others = sorted(draw.sample(others, min(count, len(others))))
        return ends + [state for state in others if state not in ends]


def setUpModule():
    global corpus
    corpus = CrashCorpus()


def tearDownModule():
    corpus.remove()


class PowerLossTest(CrashTest):
    def check_states(self, recording, sampled, most, check=None):
        """`check()` instead of the usual assertions; it returns what it found."""
        found = {}
        states = recording.states(sampled, most)
        for turn, (point, ext4, choice) in enumerate(states):
            last = recording.operations[point - 1]
            with self.subTest(f"{choice}, {'ext4' if ext4 else 'strict'}, after {last}"):
                recording.leave(point, ext4, choice, seed=turn)
                if check is not None:
                    state = check()
                    found[state] = found.get(state, 0) + 1
                    continue
                editions, receipts = recording.promised(point)
                edition = self.assert_whole(corpus, editions, receipts)
                found[edition] = found.get(edition, 0) + 1
                if turn % 4 == 0 or bp.all_of_it():
                    self.assert_goes_on(corpus)
        print(f"  {len(states)} states after {len(recording.operations)} operations: {found}",
              flush=True)

    def test_safe_once_and_always(self):
        """An edition that is safe at one point is there at every later one, whatever is lost."""
        corpus.restore("old")
        recording = Recording(corpus, "old")
        recording.run("new", "ingest", corpus.documents)
        point = 0
        while point < len(recording.operations):
            recording.leave(point, False, "dropped", 0)
            if corpus.edition() == "new":
                break
            point += 1
        later = range(point, len(recording.operations) + 1)
        self.assertGreater(len(later), 5)
        for after in bp.spread(later, 12, seed=1):
            for choice in CHOICES:
                recording.leave(after, False, choice, seed=after)
                self.assertEqual(corpus.edition(), "new", f"{choice} after {after}")

    def test_life_of_a_corpus(self):
        corpus.restore("old")
        recording = Recording(corpus, "old")
        recording.run("new", "ingest", corpus.documents)
        recording.run("new", "ask", "--json", "--now", NOW, QUESTION)
        recording.run("old", "rollback")
        recording.run("old", "ask", "--json", "--now", NOW, QUESTION)
        recording.run("new", "ingest", corpus.documents)
        self.check_states(recording, sampled=24, most=600)

    def test_birth_of_a_corpus(self):
        """Everything is made here: folders, database, pack, index."""
        shutil.rmtree(corpus.home.path / "corpora")
        recording = Recording(corpus, None)
        recording.run("new", "ingest", corpus.documents)
        self.check_states(recording, sampled=8, most=200)

    def test_remove_and_restore(self):
        corpus.restore("old")
        backup = corpus.home.path / "backup.beleg"
        self.addCleanup(backup.unlink)
        self.assert_code(corpus.home.run("backup", backup), EXIT_OK)
        self.assert_code(corpus.home.run("corpus", "remove", "IGEL"), EXIT_OK)
        corpus.contents["removed"] = corpus.visible_contents()
        corpus.said["removed"] = without_numbers(self.ask(corpus.home, QUESTION))
        corpus.restore("old")
        recording = Recording(corpus, "old")
        recording.run("removed", "corpus", "remove", "IGEL")
        recording.run("old", "restore", backup, "--force")
        self.check_states(recording, sampled=12, most=200)

    def test_restore_where_there_is_none(self):
        corpus.restore("old")
        backup = corpus.home.path / "backup.beleg"
        self.addCleanup(backup.unlink)
        self.assert_code(corpus.home.run("backup", backup), EXIT_OK)
        shutil.rmtree(corpus.home.path / "corpora")
        recording = Recording(corpus, None)
        recording.run("old", "restore", backup)
        self.check_states(recording, sampled=4, most=100)

    def test_purge(self):
        corpus.restore("old")
        self.assert_code(corpus.home.run("ingest", "--quiet", corpus.documents), EXIT_OK)
        recording = Recording(corpus, "new")
        recording.run("new", *PURGE)
        self.check_states(recording, sampled=10, most=200,
                          check=lambda: self.assert_purge_finishes(corpus))

    def test_backup(self):
        """A backup that was written is there after a power cut, and before that the old one is."""
        corpus.restore("old")
        backup = corpus.home.path / "backup.beleg"
        self.addCleanup(backup.unlink)
        self.assert_code(corpus.home.run("backup", backup), EXIT_OK)
        old = backup.read_bytes()
        disk = disk_model.Disk(corpus.home.path)
        result, operations = fault_layer.record(corpus.home, "backup", backup)
        self.assert_code(result, EXIT_OK)
        new = backup.read_bytes()
        self.assertNotEqual(old, new)
        for operation in operations:
            disk.take(operation)
            if operation.number < len(operations) - 30 and operation.number % 40:
                continue
            for choice in CHOICES:
                with tempfile.TemporaryDirectory(prefix="beleg-test-state-") as state:
                    disk.write_out(state, CHOICES[choice](random.Random(3)))
                    self.assertIn((Path(state) / "backup.beleg").read_bytes(), (old, new),
                                  f"{choice} after {operation}")
        with tempfile.TemporaryDirectory(prefix="beleg-test-state-") as state:
            disk.write_out(state, disk_model.Dropped())
            self.assertEqual((Path(state) / "backup.beleg").read_bytes(), new)


if __name__ == "__main__":
    bp.main()
