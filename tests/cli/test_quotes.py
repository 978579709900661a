"""The labelled sample questions: every quote is exact, and most answers come from the right story.

A fixed sample of 30 questions; all of them where BELEG_TEST_ALL=1."""

import collections
import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402

SAMPLE = 30


def chosen_questions():
    """A random sample that is always the same, with every kind in it."""
    questions = bp.newsroom_questions()
    if os.environ.get("BELEG_TEST_ALL") == "1":
        return questions
    by_kind = collections.defaultdict(list)
    for question in questions:
        by_kind[question["kind"]].append(question)
    draw = random.Random(20250331)
    chosen = []
    for kind in sorted(by_kind):
        share = max(4, round(SAMPLE * len(by_kind[kind]) / len(questions)))
        chosen += draw.sample(by_kind[kind], min(share, len(by_kind[kind])))
    return chosen


class QuotesTest(bp.ProgramTest):
    def test_quotes_and_sources(self):
        home = bp.Home()
        self.addCleanup(home.remove)
        self.ingest(home, bp.NEWSROOM)
        counts = collections.Counter()
        for question in chosen_questions():
            receipt = self.ask(home, question["text"])
            kind = question["kind"]
            counts[kind] += 1
            cited = {c["document"] for c in self.citations(receipt)}
            with self.subTest(question["_id"]):
                self.assert_quotes_hold(home, receipt)
                self.assertEqual(bool(receipt["abstained"]), not receipt["statements"])
                self.assertEqual(receipt["answer"], " ".join(s["text"] for s in receipt["statements"]))
                for statement in receipt["statements"]:
                    self.assertTrue(statement["citations"], "a statement without citation")
            counts[kind, "abstained"] += bool(receipt["abstained"])
            counts[kind, "right"] += bool(cited & set(question["relevant"]))
            first = receipt["statements"][0]["citations"] if receipt["statements"] else []
            counts[kind, "first"] += any(c["document"] in question["relevant"] for c in first)
        for kind in sorted(k for k in counts if isinstance(k, str)):
            print(f"  {kind}: {counts[kind]} questions, {counts[kind, 'abstained']} abstained, "
                  f"{counts[kind, 'right']} cite a relevant story, {counts[kind, 'first']} cite it first",
                  flush=True)
        self.assertGreaterEqual(counts["simple", "right"], 0.7 * counts["simple"],
                                "too few simple questions are answered from a relevant story")
        self.assertGreaterEqual(counts["multi", "right"], 0.7 * counts["multi"])
        self.assertGreaterEqual(counts["superseded", "first"], 0.7 * counts["superseded"],
                                "too many facts that have changed are answered from an old report")
        self.assertGreaterEqual(counts["unanswerable", "abstained"], 0.7 * counts["unanswerable"],
                                "too many answers to what the stories do not say")


if __name__ == "__main__":
    bp.main()
