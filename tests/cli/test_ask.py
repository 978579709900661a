"""`beleg ask` on the sample newsroom: the receipt's contract, proof of every quote, filters, refusals."""

import re
import sys
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import (ALZHEIMER, EXIT_FAILED, EXIT_OK, EXIT_USAGE, NOW, story,  # noqa: E402
                           write)

HEX64 = re.compile(r"[0-9a-f]{64}")
RECEIPT_FIELDS = {"answer", "statements", "plan", "steps", "abstained", "degraded", "cost",
                  "generation", "config_sha256", "models", "receipt_sha256"}
CITATION_FIELDS = {"document", "version", "start", "end", "page", "quote", "quote_sha256", "url",
                   "title", "date"}


def setUpModule():
    global home
    home = bp.Home()
    case = bp.ProgramTest()
    case.ingest(home, bp.NEWSROOM)
    shop = home.folder("zugriff")
    write(shop / "offen.md", story("OFFEN", "Der Umzug der Redaktion nach Halle beginnt im Mai 2026."))
    write(shop / "intern.md", story("INTERN", "Der Umzug der Redaktion nach Halle kostet 41000 Euro.",
                                    access="[intern]"))
    write(shop / "vorstand.md", story("VORSTAND", "Der Umzug der Redaktion nach Halle ist Teil eines "
                                      "geheimen Verkaufs.", access="[vorstand, aufsicht]"))
    write(shop / "kaputt.md", story("KAPUTT", "Der Umzug der Redaktion nach Halle ist ein Unfall der "
                                    "Kennzeichnung.", access="{intern: ja}"))
    case.ingest(home, shop, "--corpus", "zugriff")


def tearDownModule():
    home.remove()


class AskTest(bp.ProgramTest):
    def test_the_alzheimer_question(self):
        receipt = self.ask(home, ALZHEIMER)
        plan = receipt["plan"]
        self.assertTrue(plan["decomposed"])
        self.assertEqual(len(plan["queries"]), 3)
        self.assertEqual(plan["queries"][0], ALZHEIMER)
        self.assertIn("geforscht", plan["queries"][1])
        self.assertIn("Gehirn", plan["queries"][2])
        # Each sub-question must be understandable alone: the pronoun is gone.
        self.assertNotRegex(plan["queries"][2], r"\bsie\b")
        self.assertIn("Alzheimer", plan["queries"][2])
        documents = {c["document"] for c in self.citations(receipt)}
        self.assertGreaterEqual(len(documents), 2, documents)
        self.assertIn("N-2025-1016", documents)
        self.assertEqual({s["query"] for s in receipt["statements"]} & {1, 2}, {1, 2},
                         "one of the two sub-questions has no answer")
        for query in (1, 2):
            dates = [s["citations"][0]["date"] for s in receipt["statements"] if s["query"] == query]
            self.assertEqual(dates, sorted(dates, reverse=True), "not newest first")
        mechanism = " ".join(s["text"] for s in receipt["statements"] if s["query"] == 2)
        self.assertIn("Lecanemab fängt lösliche Protofibrillen ab", mechanism)

    def test_the_asked_name_is_the_one_answered(self):
        # The newest approval is another drug's.
        for question in ("Wann wurde Lecanemab in der EU zugelassen?", "Ist Lecanemab in der EU zugelassen?"):
            receipt = self.ask(home, question)
            self.assertIn("Lecanemab am 15. April 2025", receipt["statements"][0]["text"])

    def test_a_sentence_that_leans_on_another_is_quoted_with_it(self):
        receipt = self.ask(home, ALZHEIMER)
        for statement in receipt["statements"]:
            self.assertNotRegex(statement["text"], r"^(Es|Er|Sie|Beide|Diese)\b")

    def test_receipt_has_every_field_of_the_contract(self):
        receipt = self.ask(home, ALZHEIMER)
        self.assertLessEqual(RECEIPT_FIELDS, set(receipt))
        self.assertGreater(len(receipt["statements"]), 0)
        for statement in receipt["statements"]:
            self.assertIsInstance(statement["text"], str)
            self.assertIs(statement["supported"], True)
            self.assertGreater(len(statement["citations"]), 0)
            for citation in statement["citations"]:
                self.assertLessEqual(CITATION_FIELDS, set(citation))
                self.assertTrue(citation["title"])
                self.assertTrue(citation["url"].startswith("https://newsroom.example/"))
                self.assertRegex(citation["date"], r"^20\d\d-\d\d-\d\d")
                self.assertRegex(citation["quote_sha256"], HEX64)
                self.assertEqual(citation["page"], 0)
            self.assertIn(statement["text"], receipt["answer"])
        for step in receipt["steps"]:
            self.assertLessEqual({"name", "in", "out", "ms"}, set(step))
            self.assertGreaterEqual(step["ms"], 0)
        self.assertIsNone(receipt["abstained"])
        self.assertEqual(receipt["degraded"], [])
        self.assertEqual(receipt["generation"], 1)
        self.assertGreater(receipt["cost"]["ms"], 0)
        self.assertRegex(receipt["config_sha256"], HEX64)
        self.assertRegex(receipt["receipt_sha256"], HEX64)
        self.assertEqual([m["name"] for m in receipt["models"]], [bp.ENCODER])
        self.assertRegex(receipt["models"][0]["sha256"], HEX64)

    def test_every_quote_is_in_the_truth_and_in_the_file(self):
        receipt = self.ask(home, ALZHEIMER)
        self.assert_quotes_hold(home, receipt)
        files = bp.newsroom_files()
        for citation in self.citations(receipt):
            markdown = " ".join(files[citation["document"]].read_text(encoding="utf-8").split())
            self.assertIn(" ".join(citation["quote"].split()), markdown)

    def test_output_for_people_shows_the_same(self):
        receipt = self.ask(home, ALZHEIMER)
        result = self.assert_code(home.run("ask", "--now", NOW, ALZHEIMER), EXIT_OK)
        for statement in receipt["statements"]:
            self.assertIn(statement["text"], result.out)
        for citation in self.citations(receipt):
            self.assertIn(citation["title"], result.out)
            self.assertIn(f"characters {citation['start']}–{citation['end']}", result.out)
        self.assertIn(receipt["receipt_sha256"][:16], result.out)
        self.assertEqual(result.err, "")

    def test_no_decompose(self):
        receipt = self.ask(home, ALZHEIMER, "--no-decompose")
        self.assertFalse(receipt["plan"]["decomposed"])
        self.assertEqual(receipt["plan"]["queries"], [ALZHEIMER])
        self.assertNotEqual(receipt["config_sha256"], self.ask(home, ALZHEIMER)["config_sha256"])

    def test_explain_plan_answers_nothing(self):
        receipts = home.truth("SELECT count(*) FROM receipt")[0][0]
        result = self.assert_code(home.run("ask", "--explain-plan", ALZHEIMER), EXIT_OK)
        plan = result.json()
        self.assertTrue(plan["decomposed"])
        self.assertEqual(plan["queries"][0], {"text": ALZHEIMER, "rule": "original"})
        self.assertEqual(len(plan["queries"]), 3)
        self.assertGreaterEqual(plan["complexity"], plan["threshold"])
        self.assertTrue(plan["reason"])
        self.assertEqual(home.truth("SELECT count(*) FROM receipt")[0][0], receipts)

    def test_abstains_with_a_reason(self):
        for question in ("xqzv blorp frumious bandersnatch",
                         "Wer gewann 1974 die Fußball-Weltmeisterschaft?"):
            with self.subTest(question):
                receipt = self.ask(home, question)
                self.assertIsNotNone(receipt["abstained"])
                self.assertTrue(receipt["abstained"]["reason"])
                self.assertEqual((receipt["answer"], receipt["statements"]), ("", []))
        result = self.assert_code(home.run("ask", "xqzv blorp"), EXIT_OK)
        self.assertTrue(result.out.startswith("No answer: "), result.out)

    def test_the_newest_version_of_a_story_answers(self):
        receipt = self.ask(home, "Wurden Menschen durch Milchkühe mit Vogelgrippe angesteckt?")
        self.assertNotIn("N-2024-0326", {c["document"] for c in self.citations(receipt)})

    def test_cross_language(self):
        receipt = self.ask(home, "Is lecanemab approved in the European Union?")
        self.assertIsNone(receipt["abstained"])
        self.assertTrue(any(c["document"].startswith("N-") for c in self.citations(receipt)))

    def test_filters(self):
        receipt = self.ask(home, ALZHEIMER, "--filter", "language=en")
        documents = {c["document"] for c in self.citations(receipt)}
        self.assertTrue(documents and all(d.startswith("E-") for d in documents), documents)
        for question, arguments, holds in (
                (ALZHEIMER, ("--filter", "from=2025-01-01"), lambda d: d >= "2025-01-01"),
                (ALZHEIMER, ("--filter", "until=2024-01-01"), lambda d: d < "2024-01-01"),
                ("Hat die EMA Lecanemab empfohlen?",
                 ("--filter", "from=2024-01-01", "--filter", "until=2025-01-01"),
                 lambda d: "2024-01-01" <= d < "2025-01-01")):
            with self.subTest(arguments):
                found = self.found(home, "Alzheimer Antikörper", "--k", "50", *arguments)
                answer = self.ask(home, question, *arguments)
                cited = {c["document"] for c in self.citations(answer)}
                self.assertTrue(found and cited)
                for document in {*found, *cited}:
                    self.assertTrue(holds(release_day(home.metadata_of(document))), document)
        domains = self.found(home, "Alzheimer", "--k", "90", "--filter", "domain=raumfahrt",
                             "--filter", "domain=technik")
        self.assertEqual({home.metadata_of(d)["domain"] for d in domains}, {"raumfahrt", "technik"})
        story_only = self.found(home, "Alzheimer", "--filter", "story=N-2025-1016")
        self.assertEqual(story_only, ["N-2025-1016"])
        self.assertEqual(self.found(home, "Alzheimer", "--filter", "language=fr"), [])
        receipt = self.ask(home, ALZHEIMER, "--filter", "language=fr")
        self.assertIsNotNone(receipt["abstained"])
        result = self.assert_code(home.run("ask", "--filter", "from=2025-01-01", "--filter", "until=2024-01-01",
                                           "Was?"), EXIT_USAGE)
        self.assert_one_complaint(result, "from")
        self.assertIn("filters", receipt["abstained"]["reason"])
        self.assertEqual(self.found(home, "Alzheimer", "--filter", "language=und"), [])
        self.assertEqual(self.found(home, "Alzheimer", "--filter", "language=DE"),
                         self.found(home, "Alzheimer", "--filter", "language=de"))
        for bad in ("language", "language=kauderwelsch", "farbe=rot", "from=gestern", "from="):
            with self.subTest(bad):
                result = self.assert_code(home.run("ask", "--filter", bad, "Was?"), EXIT_USAGE)
                self.assert_one_complaint(result, "--filter")

    def test_access_labels(self):
        question = "Was ist über den Umzug der Redaktion nach Halle bekannt?"
        visible = {(): {"OFFEN"}, ("intern",): {"OFFEN", "INTERN"},
                   ("aufsicht",): {"OFFEN", "VORSTAND"}, ("Intern",): {"OFFEN"},
                   ("intern", "vorstand"): {"OFFEN", "INTERN", "VORSTAND"},
                   ("*",): {"OFFEN"}}
        for labels, documents in visible.items():
            with self.subTest(labels):
                arguments = ["--corpus", "zugriff"]
                for label in labels:
                    arguments += ["--access", label]
                modes = ("lexical", "full") if labels else ("lexical", "dense", "late", "hybrid", "full")
                for mode in modes:
                    found = self.found(home, question, "--mode", mode, *arguments)
                    self.assertEqual(set(found), documents, mode)
                receipt = self.ask(home, question, *arguments)
                cited = {c["document"] for c in self.citations(receipt)}
                self.assertLessEqual(cited, documents)
                evidence = {e["document"] for e in receipt["evidence"]}
                self.assertEqual(evidence, documents)
                explained = home.run("explain", question, *arguments)
                self.assert_code(explained, EXIT_OK)
                for hidden in {"INTERN", "VORSTAND", "KAPUTT"} - documents:
                    self.assertNotIn(hidden, explained.out)
        # The mark of unreadable labels is no label that anybody can hold.
        result = self.assert_code(home.run("ask", "--corpus", "zugriff", "--access", "!unreadable", question),
                                  EXIT_USAGE)
        self.assert_one_complaint(result, "--access")
        # A label does not widen a filter, and a filter does not open what is labelled.
        self.assertEqual(self.found(home, question, "--corpus", "zugriff", "--filter", "story=INTERN"), [])

    def test_questions_that_look_like_something_else(self):
        for question in ('Was heißt "Lecanemab" genau?', "Lecanemab [EU] (2025) {Zulassung}?",
                         "[Lecanemab, Donanemab]", "'; DROP TABLE document; --", "Was ist mit Lecanemab\n"
                         "in Europa?", "Lecanemab 💊 in der EU 🇪🇺?", "%s %n %d Lecanemab", "Lecanemab\\", "a=b",
                         "../../etc/passwd", "Lecanemab AND NOT (title:* OR \"", "*", "?", "Lecanemab" * 300):
            with self.subTest(question[:40]):
                receipt = self.ask(home, question)
                self.assertEqual(receipt["question"], question)
                self.assert_quotes_hold(home, receipt)
        self.assert_all_well(home)

    def test_a_question_that_looks_like_an_option(self):
        question = "--no-decompose Lecanemab?"
        result = self.assert_code(home.run("ask", question), EXIT_USAGE)
        self.assertEqual(len(result.err.splitlines()), 1, str(result))
        result = self.assert_code(home.run("ask", "--json", "--", question), EXIT_OK)
        self.assertEqual(result.json()["question"], question)

    def test_refused_questions(self):
        for question in ("", "   ", "\n\t"):
            with self.subTest(question):
                self.assert_one_complaint(self.assert_code(home.run("ask", question), EXIT_USAGE),
                                          "empty")
        # As bytes: not even Python's own way of passing arguments may repair it.
        for question in (b"Lecanemab \xff\xfe?", b"\xc3", b"\xed\xa0\x80"):
            with self.subTest(question):
                result = self.assert_code(home.run("ask", question), EXIT_USAGE)
                self.assert_one_complaint(result, "UTF-8")
        result = self.assert_code(home.run("ask", "Lecanemab? " * 10000), EXIT_FAILED, EXIT_USAGE)
        self.assert_one_complaint(result, "4000", "admit.max_question_chars")
        self.assert_code(home.run("ask", "--set", "admit.max_question_chars=5", "Lecanemab?"),
                         EXIT_FAILED, EXIT_USAGE)
        self.assert_code(home.run("ask"), EXIT_USAGE)
        self.assert_code(home.run("ask", "eins", "zwei"), EXIT_USAGE)
        self.assert_code(home.run("ask", "--now", "gestern", "Was?"), EXIT_USAGE)
        self.assert_code(home.run("ask", "--set", "recency.weight", "Was?"), EXIT_USAGE)
        self.assert_code(home.run("ask", "--set", "recency.weight=2", "Was?"), EXIT_USAGE)

    def test_a_question_of_10_mb(self):
        # No command line takes as much; a batch file does.
        path = write(home.path / "lang.jsonl", '{"_id": "1", "text": "' + "Lecanemab? " * 1000000 + '"}\n')
        result = self.assert_code(home.run("search", "--queries", path, "--format", "trec"),
                                  EXIT_FAILED, EXIT_USAGE)
        self.assert_one_complaint(result, "4000")
        self.assertLess(result.max_rss, 1500 << 20)
        self.assertLess(result.seconds, 60)

    def test_corpora_that_are_not_there(self):
        result = self.assert_code(home.run("ask", "--corpus", "fehlt", "Was?"), EXIT_FAILED)
        self.assert_one_complaint(result, "fehlt", "beleg ingest")
        self.assert_code(home.run("ask", "--corpus", "../default", "Was?"), EXIT_USAGE)
        self.assertFalse((home.path / "corpora" / "fehlt").exists(), "asking made a corpus")


def release_day(meta):
    """The day that counts: that of the last change, else of the release."""
    seconds = (meta["updated"] or meta["published"])["time"]
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d")


if __name__ == "__main__":
    bp.main()
