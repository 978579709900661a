"""A limit on memory that is too small: a clear refusal, and nothing is lost."""

import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, NOW  # noqa: E402
from crash_corpus import QUESTION, CrashCorpus, CrashTest, without_numbers  # noqa: E402

MIB = 1 << 20
ENOUGH = 2048  # MiB of address space.
# From what holds the program and its libraries to what it needs for a small corpus.
SIZES = range(160, 720, 8)
SAMPLED_SIZES = 9


def setUpModule():
    global corpus
    corpus = CrashCorpus()


def tearDownModule():
    corpus.remove()


class MemoryTest(CrashTest):
    def setUp(self):
        corpus.restore("old")

    def run_within(self, size, *command):
        return corpus.home.run(*command, limits={resource.RLIMIT_AS: size * MIB})

    def try_all_sizes(self, command, check):
        """Runs the command within less and within more than it needs; it must refuse or succeed,
        and both must occur."""
        codes = set()
        for size in [*bp.spread(SIZES, SAMPLED_SIZES, seed=17), ENOUGH]:
            # Without room for its libraries there is no program that could say anything.
            if self.run_within(size, "--version").code != EXIT_OK:
                continue
            with self.subTest(f"{size} MiB"):
                result = self.run_within(size, *command)
                self.assert_code(result, EXIT_OK, EXIT_FAILED)
                codes.add(result.code)
                if result.code == EXIT_FAILED:
                    self.assert_one_complaint(result)
                    self.assertEqual(result.out, "")
                check(result)
        self.assertEqual(codes, {EXIT_OK, EXIT_FAILED})
        self.assert_whole(corpus, {"old", "new"}, corpus.receipts)
        self.assert_goes_on(corpus)

    def test_ingest(self):
        def check(result):
            self.assertEqual(corpus.edition(), "new" if result.code == EXIT_OK else "old")
            self.assert_all_well(corpus.home)
            corpus.restore("old")

        self.try_all_sizes(("ingest", "--json", "--quiet", corpus.documents), check)

    def test_ask(self):
        def check(result):
            if result.code == EXIT_OK:
                self.assertEqual(without_numbers(result.json()), corpus.said["old"])

        self.try_all_sizes(("ask", "--json", "--now", NOW, QUESTION), check)


if __name__ == "__main__":
    bp.main()
