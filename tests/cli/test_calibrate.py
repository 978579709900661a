"""`beleg calibrate`: what is fitted to labelled questions, reported and printed."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_OK, EXIT_USAGE, write  # noqa: E402


def setUpModule():
    global home, questions
    home = bp.Home()
    documents = home.folder("newsroom")
    bp.copy_stories(documents, bp.newsroom_files())
    bp.ProgramTest().ingest(home, documents)
    questions = home.path / "questions.jsonl"
    write_questions(questions, bp.newsroom_questions())


def tearDownModule():
    home.remove()


def write_questions(path, entries):
    write(path, "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries))


class FusionTest(bp.ProgramTest):
    def calibrate(self, *arguments, file=None):
        return home.run("calibrate", "fusion", "--json", "--questions", file or questions, *arguments)

    def test_printed_settings_give_the_fitted_quality(self):
        """From poor weights the fit finds better ones, and these in the settings give what was promised."""
        poor = ["--set", "fuse.lexical_weight=2", "--set", "fuse.late_weight=0.1", "--set", "fuse.k=100"]
        fit = json.loads(self.assert_code(self.calibrate(*poor), EXIT_OK).out)
        self.assertEqual(fit["all"]["questions"], 105)
        self.assertGreater(fit["all"]["fitted"], fit["all"]["before"] + 0.005, fit)
        applied = []
        for name, value in fit["fuse"].items():
            applied += ["--set", f"fuse.{name}={value}"]
        again = json.loads(self.assert_code(self.calibrate(*applied), EXIT_OK).out)
        self.assertAlmostEqual(again["all"]["before"], fit["all"]["fitted"], places=9)

    def test_defaults_are_no_worse_than_the_best_list(self):
        fit = json.loads(self.assert_code(self.calibrate(), EXIT_OK).out)
        self.assertEqual(set(fit["by_language"]), {"de", "en"})
        for quality in [fit["all"], *fit["by_language"].values()]:
            best = max(quality[name] for name in ("lexical", "dense", "late"))
            self.assertGreaterEqual(quality["before"], best - 0.002, quality)

    def test_too_few_questions_are_refused(self):
        few = home.path / "few.jsonl"
        write_questions(few, bp.newsroom_questions()[:5])
        result = self.assert_code(self.calibrate(file=few), EXIT_USAGE)
        self.assertIn("at least 10", result.err)

    def test_a_document_that_is_not_there_is_named(self):
        wrong = home.path / "wrong.jsonl"
        write_questions(wrong, [{"text": "Wer?", "relevant": ["nobody"]}])
        result = self.calibrate(file=wrong)
        self.assertNotEqual(result.code, EXIT_OK)
        self.assertIn("nobody", result.err)


class RelevanceTest(bp.ProgramTest):
    def test_a_dry_run_reports_and_stores_nothing(self):
        result = self.assert_code(
            home.run("calibrate", "relevance", "--dry-run", "--json", "--questions", questions), EXIT_OK)
        report = json.loads(result.out)["report"]
        self.assertGreater(report["auc"], 0.9)
        self.assertLess(report["expected_calibration_error"], 0.05)
        self.assertFalse(list(home.path.rglob("relevance.json")))


if __name__ == "__main__":
    bp.main()
