"""Conditions on texts (--phrase, --title-has, --heading-has, --body-has), and `beleg explain` of lexical scores."""

import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_OK, EXIT_USAGE, write  # noqa: E402

# id: language, title, heading, text
TEXTS = {
    "frist": ("de", "Fristen im Bauamt", "Beginn", "Die Frist beginnt nach § 5 Abs. 2 mit dem Bescheid."),
    "absatz": ("de", "Absätze im Bauamt", "Beginn",
               "Die Frist beginnt nach § 2 Abs. 5 mit dem Antrag. Absatz 2 gilt nicht."),
    "hose": ("de", "Trachten", "Kleidung", "Zum Fest trug er eine kurze Lederhose und ein weißes Hemd."),
    "leder": ("de", "Gerberei", "Kleidung", "Die Hose war lang, das Leder kurz gegerbt, das Fest vorbei."),
    "funk": ("de", "Funknetze", "Normen", "Der Router im Rathaus spricht 802.11ax, der alte nur 802.11n."),
    "bridge": ("en", "The red bridge", "Harbour", "The old red bridges over the river were painted last year."),
    "harbour": ("en", "The harbour", "Bridges", "A bridge is red when the sun sets over the harbour."),
}
FILLER = 30


def setUpModule():
    global home
    home = bp.Home()
    documents = home.folder("texte")
    for name, (language, title, heading, text) in TEXTS.items():
        write(documents / f"{name}.md", f"---\ntitle: {title}\nlanguage: {language}\n---\n\n## {heading}\n\n{text}\n")
    for number in range(FILLER):
        # By words alone, all but the last third are better answers to "Dachs Igel Bau".
        text = ("Der Dachs gräbt den Bau, der Igel nicht." if number < FILLER * 2 // 3
                else "Viel später im Jahr sah man am Rand von Feld und Wiese einmal den alten Igel mit einem Dachs.")
        write(documents / f"dachs-{number}.md", f"---\ntitle: Tier {number}\nlanguage: de\n---\n\n{text}\n")
    bp.ProgramTest().ingest(home, documents)


def tearDownModule():
    home.remove()


class ConditionTest(bp.ProgramTest):
    def names(self, question, *arguments, mode="lexical"):
        found = self.found(home, question, "--mode", mode, "--k", "40", *arguments)
        return sorted(Path(document).stem for document in found)

    def test_phrases(self):
        for phrase, question, wanted in (
                ("§ 5 Abs. 2", "Frist Bauamt", ["frist"]),
                ("§ 5 Absatz 2", "Frist Bauamt", ["frist"]),
                ("§ 2", "Frist Bauamt", ["absatz"]),
                ("kurze Hose", "Hose Fest", ["hose"]),
                ("kurzen Lederhosen", "Hose Fest", ["hose"]),
                ("spricht 802.11ax", "Router", ["funk"]),
                ("802.11", "Router", []),
                ("red bridge", "bridge", ["bridge"]),
                ("over the harbour", "bridge", ["harbour"]),
                ("bridge over", "bridge", ["bridge"]),
                ("bridge red", "bridge", [])):
            with self.subTest(phrase):
                self.assertEqual(self.names(question, "--phrase", phrase), wanted)
        for mode in ("dense", "late", "hybrid", "full"):
            self.assertEqual(self.names("Wann beginnt es?", "--phrase", "§ 5 Abs. 2", mode=mode), ["frist"])

    def test_fields_and_several_conditions(self):
        self.assertEqual(self.names("red bridge", "--title-has", "red bridge"), ["bridge"])
        self.assertEqual(self.names("red bridge", "--title-has", "the harbour"), ["harbour"])
        self.assertEqual(self.names("red bridge", "--heading-has", "bridges"), ["harbour"])
        # A passage has the heading that it begins with in its text.
        self.assertEqual(self.names("red bridge", "--body-has", "harbour"), ["bridge", "harbour"])
        self.assertEqual(self.names("red bridge", "--body-has", "over harbour sun"), ["harbour"])
        self.assertEqual(self.names("Hose Leder Fest", "--body-has", "Fest Leder"), ["hose", "leder"])
        self.assertEqual(self.names("Frist", "--title-has", "Bauamt", "--phrase", "Frist beginnt nach"),
                         ["absatz", "frist"])
        self.assertEqual(self.names("Frist", "--phrase", "Frist beginnt", "--phrase", "mit dem Antrag"), ["absatz"])
        self.assertEqual(self.names("Frist", "--phrase", "Frist beginnt", "--filter", "language=en"), [])

    def test_lists_are_filled_with_what_matches(self):
        for mode in ("lexical", "dense", "late", "hybrid", "full"):
            with self.subTest(mode):
                found = self.found(home, "Dachs Igel Bau", "--mode", mode, "--k", "7",
                                   "--phrase", "einmal den alten Igel")
                self.assertEqual(len(found), 7)
                self.assertTrue(all(int(Path(d).stem.split("-")[1]) >= FILLER * 2 // 3 for d in found), found)

    def test_nothing_in_a_condition_or_a_question_is_syntax(self):
        self.assertEqual(self.names("bridge", "--phrase", '"red bridge"'), ["bridge"])
        self.assertEqual(self.names("bridge", "--phrase", "red OR bridge"), [])
        self.assertEqual(self.names("bridge", "--title-has", "NOT harbour"), ["harbour"])
        self.assertEqual(self.names('"red bridge" title:harbour'), self.names("red bridge title harbour"))

    def test_conditions_without_words_are_refused(self):
        for option in ("--phrase", "--title-has", "--heading-has", "--body-has"):
            for command in ("search", "ask", "explain"):
                with self.subTest((option, command)):
                    result = self.assert_code(home.run(command, option, "?!", "Frist"), EXIT_USAGE)
                    self.assert_one_complaint(result, "condition", "no word")
        self.assert_code(home.run("search", "--phrase", "", "Frist"), EXIT_USAGE)
        self.assert_code(home.run("search", "--phrase", "Frist " * 1000, "Frist"), EXIT_USAGE)

    def test_an_answer_keeps_to_the_conditions_and_so_does_its_replay(self):
        question = "Wann beginnt die Frist?"
        plain = self.ask(home, question)
        self.assertNotIn("texts", plain["filter"])
        receipt = self.ask(home, question, "--phrase", "§ 2 Abs. 5", "--title-has", "Bauamt")
        self.assertEqual(receipt["filter"]["texts"], [
            {"text": "§ 2 Abs. 5", "field": "any", "kind": "phrase"},
            {"text": "Bauamt", "field": "title", "kind": "all_words"}])
        self.assertTrue(receipt["evidence"])
        self.assertEqual({Path(e["document"]).stem for e in receipt["evidence"]}, {"absatz"})
        trace = self.assert_code(home.run("trace", "last", "--json"), EXIT_OK).json()
        self.assertEqual(trace["filter"], receipt["filter"])
        self.assertEqual(trace["steps"][0]["detail"]["rows_visible"], 1)
        replay = self.assert_code(home.run("replay", "--json"), EXIT_OK).json()
        self.assertTrue(replay["same"])
        self.assertEqual(replay["after"]["filter"], receipt["filter"])
        self.assertNotEqual(plain["receipt_sha256"], receipt["receipt_sha256"])


class ExplainLexicalTest(bp.ProgramTest):
    def explain(self, question, *arguments):
        return self.assert_code(home.run("explain", "--json", question, *arguments), EXIT_OK).json()

    def test_contributions_sum_to_the_score(self):
        forms = set()
        for question in ("Wann beginnt die Frist nach § 5 Abs. 2?", "kurze Lederhose", "802.11ax im Rathaus",
                         "Is the red bridge in the harbour?", "Dachs Igel"):
            explained = self.explain(question, "--k", "20")
            self.assertTrue(explained["hits"])
            for hit in explained["hits"]:
                lexical = hit["lexical"]
                with self.subTest((question, hit["document"])):
                    self.assertEqual(sum(m["contribution_units"] for m in lexical["matches"]), lexical["score_units"])
                    self.assertEqual(sum(Fraction(m["contribution"]) for m in lexical["matches"]),
                                     Fraction(lexical["score"]))
                    self.assertEqual(lexical["score"], lexical["score_units"] / lexical["units_per_point"])
                    scores = [entry["score"] for entry in hit["lists"] if entry["retriever"] == "lexical"]
                    self.assertEqual(len(scores), 1 if lexical["matches"] else 0)
                    for score in scores:
                        self.assertAlmostEqual(score, lexical["score"], delta=1e-6)
                    for match in lexical["matches"]:
                        forms.add(match["form"])
                        self.assertGreater(match["title"] + match["headings"] + match["body"], 0)
                        self.assertGreaterEqual(match["score"], match["contribution"])
        self.assertEqual(forms, {"word", "compound part", "identifier", "identifier part", "paragraph reference",
                                 "part of a paragraph reference"})

    def test_frequencies_are_by_field(self):
        hits = {Path(h["document"]).stem: h for h in self.explain("red bridge", "--k", "40")["hits"]}
        matches = {m["term"]: m for m in hits["bridge"]["lexical"]["matches"]}
        for term in ("red", "bridg"):
            self.assertEqual([matches[term][f] for f in ("title", "headings", "body")], [1, 0, 1])
        # Once in the sentence and once in the heading that the passage begins with.
        matches = {m["term"]: m for m in hits["harbour"]["lexical"]["matches"]}
        self.assertEqual([matches["bridg"][f] for f in ("title", "headings", "body")], [0, 1, 2])

    def test_the_strategy_of_each_list_is_shown(self):
        expected = {"lexical", "dense", "late"}
        explained = self.explain("Frist Bauamt", "--phrase", "§ 5 Abs. 2")
        self.assertEqual([Path(h["document"]).stem for h in explained["hits"]], ["frist"])
        self.assert_lists(explained["lists"], expected)
        dense = next(entry for entry in explained["lists"] if entry["retriever"] == "dense")
        self.assertEqual(dense["strategies"], [{"strategy": "exact over the allowed rows", "segments": 1}])
        lexical = next(entry for entry in explained["lists"] if entry["retriever"] == "lexical")
        self.assertTrue(all(s["language"] in ("de", "en", "und") for s in lexical["strategies"]))
        text = self.assert_code(home.run("explain", "Frist Bauamt"), EXIT_OK).out
        for part in ("\nlists\n", "  dense: exact (1 segment)\n", "  adds ", " of 1/65536 ("):
            self.assertIn(part, text)

        self.ask(home, "Wann beginnt die Frist?")
        trace = self.assert_code(home.run("trace", "last", "--json"), EXIT_OK).json()
        retrieve = next(step for step in trace["steps"] if step["name"] == "retrieve")
        self.assert_lists(retrieve["detail"]["lists"], expected)
        self.assertIn(", exact", self.assert_code(home.run("trace", "last"), EXIT_OK).out)
        for mode, lists in (("lexical", {"lexical"}), ("dense", {"dense"}), ("late", {"late"}), ("full", expected)):
            line = self.assert_code(home.run("search", "--json", "--k", "1", "--mode", mode, "Frist"), EXIT_OK).json()
            self.assert_lists(line["lists"], lists)

    def assert_lists(self, lists, retrievers):
        self.assertEqual({entry["retriever"] for entry in lists}, retrievers)
        for entry in lists:
            self.assertTrue(entry["strategies"], entry)
            for strategy in entry["strategies"]:
                self.assertGreaterEqual(strategy["segments"], 1)
                self.assertTrue(strategy["strategy"])


if __name__ == "__main__":
    bp.main()
