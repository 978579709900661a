"""`beleg search`: run files, modes, units, identifiers, prefixes, and a floor for its quality."""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_USAGE, write  # noqa: E402

MODES = ("lexical", "dense", "late", "hybrid", "full")
STORIES = 40
QUALITY_QUESTIONS = 60


def setUpModule():
    global home, question_ids
    home = bp.Home()
    documents = home.folder("pool")
    bp.copy_stories(documents, [s for s in bp.newsroom_files() if s >= "N-2024"][:STORIES])
    bp.ProgramTest().ingest(home, documents)
    chosen = bp.newsroom_questions()[::8][:12]
    question_ids = [q["_id"] for q in chosen]
    write(home.path / "questions.jsonl", "".join(json.dumps(q, ensure_ascii=False) + "\n" for q in chosen))


def tearDownModule():
    home.remove()


class SearchTest(bp.ProgramTest):
    def batch(self, *arguments):
        result = home.run("search", "--queries", home.path / "questions.jsonl", *arguments)
        return self.assert_code(result, EXIT_OK)

    def run_of(self, result):
        """{question: [(document, score)]} of a TREC run, its form checked."""
        run = {}
        for line in result.out.splitlines():
            columns = line.split(" ")
            self.assertEqual(len(columns), 6, line)
            question, q0, document, rank, score, tag = columns
            self.assertEqual((q0, tag), ("Q0", "beleg"), line)
            hits = run.setdefault(question, [])
            self.assertEqual(int(rank), len(hits) + 1, line)
            self.assertTrue(math.isfinite(float(score)), line)
            if hits:
                self.assertGreater(hits[-1][1], float(score), "scores must descend: " + line)
            hits.append((document, float(score)))
        for hits in run.values():
            self.assertEqual(len({d for d, _ in hits}), len(hits), "a result came twice")
        return run

    def test_trec_run_of_a_batch_in_every_mode_and_unit(self):
        external_ids = {row[0] for row in home.truth("SELECT external_id FROM document")}
        for mode in MODES:
            for unit in ("document", "passage"):
                with self.subTest(f"{mode} {unit}"):
                    run = self.run_of(self.batch("--k", "100", "--mode", mode, "--unit", unit,
                                                 "--format", "trec"))
                    # By words alone, an English question may find nothing in German stories.
                    self.assertEqual(list(run), [q for q in question_ids if q in run])
                    self.assertGreaterEqual(len(run), 8)
                    for hits in run.values():
                        self.assertLessEqual(len(hits), 100)
                        names = {d for d, _ in hits}
                        if unit == "document":
                            self.assertLessEqual(names, external_ids)
                        else:
                            self.assertTrue(all("#" in n and n.split("#")[0] in external_ids for n in names))
                        if mode != "lexical":
                            self.assertEqual(list(run), question_ids)
                            self.assertEqual(len(hits), min(100, STORIES if unit == "document" else 100))

    def test_tag_and_progress(self):
        result = self.batch("--format", "trec", "--k", "3", "--tag", "lauf1", "--mode", "lexical")
        self.assertTrue(all(line.endswith(" lauf1") for line in result.out.splitlines()))

    def test_batch_equals_single_questions(self):
        run = self.run_of(self.batch("--k", "5", "--format", "trec", "--unit", "document"))
        for question in bp.newsroom_questions()[::8][:3]:
            self.assertEqual(self.found(home, question["text"], "--k", "5"),
                             [d for d, _ in run[question["_id"]]])

    def test_jsonl(self):
        lines = self.batch("--k", "4", "--format", "jsonl").json_lines()
        self.assertEqual(len(lines), 4 * len(question_ids))
        for line in lines:
            text = home.truth("SELECT content.text FROM content JOIN passage ON passage.version = "
                              "content.version WHERE passage.id = ?", line["passage"])[0][0]
            self.assertEqual(text[line["start"]:line["end"]], line["text"])
            self.assertTrue(line["title"] and line["url"])
            self.assertIn(line["query"], question_ids)
            self.assertIs(line["complete"], True)

    def test_results_for_k_begin_those_for_more(self):
        text = bp.newsroom_questions()[0]["text"]
        for mode in MODES:
            for unit in ("passage", "document"):
                # 100 passages are as deep as the lists go by default: more must not reorder them.
                ks = (5, 15, 25) if unit == "document" else (5, 15, 95, 105)
                lists = []
                for k in ks:
                    result = home.run("search", "--json", "--mode", mode, "--unit", unit, "--k", str(k), text)
                    self.assert_code(result, EXIT_OK)
                    lists.append([(line["document"], line["passage"]) for line in result.json_lines()])
                for k, shorter, longer in zip(ks, lists, lists[1:]):
                    with self.subTest(f"{mode} {unit} {k}"):
                        self.assertEqual(longer[:len(shorter)], shorter)

    def test_filters_hold_in_every_mode(self):
        for mode in MODES:
            found = self.found(home, "Alzheimer", "--mode", mode, "--k", "40", "--filter", "from=2025-01-01")
            for document in found:
                meta = home.metadata_of(document)
                self.assertGreaterEqual((meta["updated"] or meta["published"])["time"], 1735689600)

    def test_identifiers_are_words_and_never_syntax(self):
        texts = {
            "NORM": "Die Norm DIN EN ISO 9001:2015 regelt die Qualität.",
            "ART": "Das Ersatzteil AB-12_34/5 liegt im Lager.",
            "MAIL": "Fragen gehen an auskunft@beispiel.example bitte.",
            "OPTION": "Die Einstellung max_connections begrenzt die Zahl.",
            "PFAD": "Das Protokoll steht in /var/log/beispiel/dienst.log beim Rechner.",
            "CVE": "Die Lücke CVE-2024-31337 wurde geschlossen.",
            "URL": "Mehr steht unter https://beispiel.example/a/b?c=1 im Netz.",
            "MIN": "Der Igel frisst Käfer und Würmer im Garten.",
        }
        for number in range(12):
            texts[f"X{number}"] = f"Der Dachs Nummer {number} gräbt einen Bau im Wald."
        path = write(home.path / "kennungen.jsonl", "".join(
            json.dumps({"id": k, "text": t}, ensure_ascii=False) + "\n" for k, t in texts.items()))
        self.ingest(home, path, "--corpus", "kennungen")

        def firsts(questions, mode):
            """Question → best document; all in one process."""
            batch = write(home.path / "kennungen-fragen.jsonl", "".join(
                json.dumps({"_id": str(i), "text": q}, ensure_ascii=False) + "\n"
                for i, q in enumerate(questions)))
            result = self.assert_code(home.run("search", "--json", "--corpus", "kennungen", "--unit", "document",
                                               "--mode", mode, "--k", "1", "--queries", batch), EXIT_OK)
            best = {questions[int(line["query"])]: line["document"] for line in result.json_lines()}
            return best

        identifiers = {
            "9001:2015": "NORM", "ISO 9001": "NORM", "AB-12_34/5": "ART", "ab-12_34/5": "ART",
            "auskunft@beispiel.example": "MAIL", "max_connections": "OPTION",
            "/var/log/beispiel/dienst.log": "PFAD", "dienst.log": "PFAD", "CVE-2024-31337": "CVE",
            "https://beispiel.example/a/b?c=1": "URL"}
        for mode in ("lexical", "full"):
            with self.subTest(mode):
                self.assertEqual(firsts(list(identifiers), mode), identifiers)
        # In query languages these exclude, require, quote, or name a field.
        syntax = ["Igel -Käfer", "+Igel Käfer", '"Igel Käfer', "text:Igel", "Igel NOT Käfer", "(Igel",
                  "Igel*", "Igel~2 ^3", "Igel AND", "/Igel/", "[Igel TO", "Igel\\", "!Igel", "Igel || ",
                  "NEAR(Igel, Käfer)", "{Igel}", "Igel; --", "Igel''"]
        self.assertEqual(firsts(syntax, "lexical"), {question: "MIN" for question in syntax})
        firsts(["-", "*", '""', "()", "AND", ":", "\\", "\u0000", "\ufeff"], "lexical")
        self.assertEqual(self.found(home, "[Igel, Käfer]", "--mode", "lexical", "--corpus", "kennungen",
                                    "--k", "1"), ["MIN"])

    def test_wrong_usage(self):
        bad = write(home.path / "bad.jsonl", '{"_id": "1", "text": "Gut?"}\n{"_id": "2"}\n')
        blank = write(home.path / "blank.jsonl", '{"_id": "a b", "text": "Gut?"}\n')
        broken = write(home.path / "broken.jsonl", "{\n")
        for arguments in (("--mode", "x", "Was"), ("--unit", "x", "Was"), ("--format", "x", "Was"),
                          ("--k", "0", "Was"), ("--k", "-1", "Was"), ("--k", "viele", "Was"),
                          ("--k", "10001", "Was"), (), ("Was", "--queries", str(bad)),
                          ("--queries", str(bad)), ("--queries", str(blank)), ("--queries", str(broken))):
            with self.subTest(arguments):
                self.assert_one_complaint(self.assert_code(home.run("search", *arguments), EXIT_USAGE))
        self.assertIn("line 2", home.run("search", "--queries", bad).err)
        for k in ("-1", "99999999999999999999"):
            self.assertNotIn("18446744073709551615", home.run("search", "--k", k, "Was").err)
        missing = home.run("search", "--queries", home.path / "fehlt.jsonl")
        self.assert_one_complaint(self.assert_code(missing, EXIT_FAILED), "fehlt.jsonl")

    def test_questions_with_the_same_id_are_refused(self):
        path = write(home.path / "twice.jsonl", '{"_id": "f1", "text": "Was?"}\n\n'
                     '{"_id": "f2", "text": "Wer?"}\n{"_id": "f1", "text": "Wo?"}\n')
        result = self.assert_code(home.run("search", "--queries", path), EXIT_USAGE)
        self.assert_one_complaint(result, "twice.jsonl, line 4", "'f1'", "line 1")
        self.assertEqual(result.out, "")

    def test_a_batch_without_questions_is_refused(self):
        for text in ("", "\n", " \t\r\n\n"):
            with self.subTest(text):
                path = write(home.path / "empty.jsonl", text)
                result = self.assert_code(home.run("search", "--queries", path), EXIT_USAGE)
                self.assert_one_complaint(result, "empty.jsonl", "'_id'")

    def test_a_tag_is_one_word(self):
        for tag in ("", " ", "zwei Worte", "a\tb", "a\nb", "a\rb"):
            with self.subTest(tag):
                result = home.run("search", "--format", "trec", "--tag", tag, "Was")
                self.assert_one_complaint(self.assert_code(result, EXIT_USAGE), "--tag")
                self.assertEqual(result.out, "")


class ExplainTest(bp.ProgramTest):
    def test_k_has_bounds(self):
        for k in ("0", "-1", "1001", "99999999999999999999", "viele", ""):
            with self.subTest(k):
                result = self.assert_code(home.run("explain", "--k", k, "Was"), EXIT_USAGE)
                self.assert_one_complaint(result, "--k")
                self.assertNotIn("18446744073709551615", result.err)
        explained = self.assert_code(home.run("explain", "--json", "--k", "1", "Alzheimer"), EXIT_OK)
        self.assertEqual(len(explained.json()["hits"]), 1)


class EvalTest(bp.ProgramTest):
    RUN = "f1 Q0 d1 1 2.0 t\nf1 Q0 d2 2 1.0 t\nf2 Q0 d1 1 1.0 t\n"
    QRELS = "f1 0 d1 1\nf1 0 d2 0\nf2 0 d1 1\n"

    def evaluate(self, run, qrels, *arguments):
        return home.run("eval", "--json", "--run", write(home.path / "lauf.txt", run),
                        "--qrels", write(home.path / "urteile.txt", qrels), *arguments)

    def test_clean_files_are_scored(self):
        self.assertEqual(self.assert_code(self.evaluate(self.RUN, self.QRELS), EXIT_OK).json()["ndcg"], 1)

    def test_a_document_listed_twice_is_refused(self):
        result = self.assert_code(self.evaluate(self.RUN + "f1 Q0 d1 3 0.5 t\n", self.QRELS), EXIT_USAGE)
        self.assert_one_complaint(result, str(home.path / "lauf.txt") + ", line 4", "'f1'", "'d1'", "once")
        self.assertEqual(result.out, "")

    def test_a_score_that_is_not_finite_is_refused(self):
        for score in ("nan", "inf", "-inf"):
            with self.subTest(score):
                result = self.evaluate(self.RUN + f"f2 Q0 d2 2 {score} t\n", self.QRELS)
                self.assert_one_complaint(self.assert_code(result, EXIT_USAGE),
                                          str(home.path / "lauf.txt") + ", line 4", "not finite")

    def test_a_document_judged_twice_is_refused(self):
        for grade in ("0", "1"):
            with self.subTest(grade):
                result = self.evaluate(self.RUN, self.QRELS + f"f1 0 d1 {grade}\n")
                self.assert_one_complaint(self.assert_code(result, EXIT_USAGE),
                                          str(home.path / "urteile.txt") + ", line 4", "'f1'", "'d1'")

    def test_wrong_k(self):
        for k in ("0", "-1", "viele"):
            with self.subTest(k):
                self.assert_one_complaint(self.assert_code(self.evaluate(self.RUN, self.QRELS, "--k", k), EXIT_USAGE))


def ndcg_at_10(hits, relevant):
    gain = sum(1 / math.log2(rank + 2) for rank, document in enumerate(hits[:10]) if document in relevant)
    best = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(relevant))))
    return gain / best


class QualityTest(bp.ProgramTest):
    """German passages, German and English questions, without titles that would give them away."""

    def read_lines(self, path):
        with open(path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def judgements(self, path):
        with open(path, encoding="utf-8") as lines:
            rows = [line.split("\t") for line in lines.read().splitlines()[1:]]
        return {question: {document} for question, document, _ in rows}

    def score(self, questions, qrels, mode):
        chosen = questions[::len(questions) // QUALITY_QUESTIONS][:QUALITY_QUESTIONS]
        self.assertEqual(len(chosen), QUALITY_QUESTIONS)
        path = write(home.path / "xquad.jsonl", "".join(
            json.dumps({"_id": q["_id"], "text": q["text"]}, ensure_ascii=False) + "\n" for q in chosen))
        result = self.assert_code(home.run("search", "--corpus", "xquad", "--queries", path, "--k", "10",
                                           "--mode", mode, "--unit", "document", "--format", "trec"), EXIT_OK)
        run = {}
        for line in result.out.splitlines():
            columns = line.split()
            run.setdefault(columns[0], []).append(columns[2])
        mine = sum(ndcg_at_10(run.get(q["_id"], []), qrels[q["_id"]]) for q in chosen) / len(chosen)
        run_file = write(home.path / "run.txt", result.out)
        qrels_file = write(home.path / "qrels.txt", "".join(
            f"{q['_id']} 0 {d} 1\n" for q in chosen for d in qrels[q["_id"]]))
        scored = home.run("eval", "--json", "--run", run_file, "--qrels", qrels_file, "--k", "10")
        self.assertAlmostEqual(scored.json()["ndcg"], mine, places=6)
        self.assertEqual(scored.json()["questions"], len(chosen))
        return mine

    def test_ndcg_on_xquad(self):
        data = bp.data_folder("retrieval_qa")
        if data is None:
            print("SKIP quality of search: no test data (BELEG_TEST_DATA)", flush=True)
            self.skipTest("no test data (BELEG_TEST_DATA)")
        documents = [{"_id": d["_id"], "text": d["text"]} for d in self.read_lines(data / "xquad_de" / "docs.jsonl")]
        self.assertEqual(len(documents), 240)
        path = write(home.path / "xquad-docs.jsonl", "".join(
            json.dumps(d, ensure_ascii=False) + "\n" for d in documents))
        self.ingest(home, path, "--corpus", "xquad")
        german = self.read_lines(data / "xquad_de" / "queries.jsonl")
        english = self.read_lines(data / "xquad_en" / "queries.jsonl")
        qrels = self.judgements(data / "xquad_de" / "qrels.tsv")
        crossed = self.judgements(data / "xquad_de" / "qrels_from_en.tsv")
        lexical = self.score(german, qrels, "lexical")
        full = self.score(german, qrels, "full")
        cross = self.score(english, crossed, "full")
        print(f"  nDCG@10: lexical {lexical:.4f}, full {full:.4f}, English to German {cross:.4f}", flush=True)
        self.assertGreaterEqual(lexical, 0.93)
        self.assertGreaterEqual(full, 0.96)
        self.assertGreaterEqual(full, lexical - 0.005)
        self.assertGreaterEqual(cross, 0.85)


if __name__ == "__main__":
    bp.main()
