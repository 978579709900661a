"""Documents nobody wrote for this project: the Debian FAQ, in German and English, as its packages install it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_OK  # noqa: E402

FAQ = Path("/usr/share/doc/debian/FAQ")


class ManualsTest(bp.ProgramTest):
    def test_the_faq(self):
        if not (FAQ / "de").is_dir():
            bp.skip_file("the packages debian-faq and debian-faq-de are not installed")
        home = bp.Home()
        self.addCleanup(home.remove)
        lines, summary = self.ingest(home, FAQ)
        self.assertEqual(summary["failed"], 0)
        self.assertGreater(summary["passages"], 300)
        german = home.metadata_of("de/basic-defs.de.html")
        self.assertEqual(german["language"], "de")
        self.assertEqual(german["title"], "Kapitel 1. Definitionen und Überblick")
        self.assertEqual(home.metadata_of("basic-defs.en.html")["language"], "en")
        for question, document, quote in (
                ("Wofür steht der Name Debian?", "de/basic-defs.de.html", "Debra und Ian Murdock"),
                ("What does the name Debian stand for?", "basic-defs.en.html", "Debra and Ian Murdock")):
            with self.subTest(question):
                receipt = self.ask(home, question)
                self.assert_quotes_hold(home, receipt)
                self.assertIn(document, {c["document"] for c in self.citations(receipt)})
                self.assertIn(quote, receipt["answer"])
        self.assert_code(home.run("audit"), EXIT_OK)


if __name__ == "__main__":
    bp.main()
