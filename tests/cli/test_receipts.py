"""Receipts prove answers: same in, same out; tampering shows; changes of the documents show."""

import hashlib
import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import ALZHEIMER, EXIT_FAILED, EXIT_OK, EXIT_USAGE, NOW, write  # noqa: E402

QUESTION = "Ist Lecanemab in der EU zugelassen?"
# Everything the sample has on Alzheimer's, and some others: enough, and quick to read.
STORIES = ["N-2025-1016", "N-2025-1125", "N-2025-0926", "N-2025-0901", "N-2025-0416", "N-2024-1114",
           "N-2024-0726", "N-2023-0511", "N-2022-1130", "N-2021-0608", "N-2024-0201", "N-2025-0107",
           "N-2024-0821", "N-2025-0709", "E-2025-0519", "E-2023-0718"]


def setUpModule():
    global home, documents
    home = bp.Home()
    documents = home.folder("pool")
    bp.copy_stories(documents, STORIES)
    bp.ProgramTest().ingest(home, documents)


def tearDownModule():
    home.remove()


def with_own_hash(receipt):
    """The receipt with the hash that fits it, as docs/formats/receipt.md computes it."""
    proof = json.loads(json.dumps(receipt))
    for field in ("receipt_sha256", "cost", "trace"):
        del proof[field]
    for step in proof["steps"]:
        del step["ms"], step["cpu_ms"]
    text = json.dumps(proof, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {**receipt, "receipt_sha256": hashlib.sha256(text.encode()).hexdigest()}


class ReceiptTest(bp.ProgramTest):
    def verify(self, receipt, *codes):
        path = write(home.path / "receipt.json", json.dumps(receipt, ensure_ascii=False))
        return self.assert_code(home.run("verify", "--json", path), *codes).json()

    def test_same_question_same_receipt(self):
        first = self.ask(home, ALZHEIMER)
        second = self.ask(home, ALZHEIMER)
        self.assertEqual(first["receipt_sha256"], second["receipt_sha256"])
        self.assertEqual(first["answer"], second["answer"])
        self.assertNotEqual(first["trace"], second["trace"])
        # Threads and the model's batching are no part of an answer.
        third = self.ask(home, ALZHEIMER, "--set", "models.threads=1")
        self.assertEqual(first["statements"], third["statements"])

    def test_other_settings_other_hashes(self):
        first = self.ask(home, ALZHEIMER)
        hashes = {first["config_sha256"]}
        for setting in ("rerank.keep=3", "recency.half_life_days=30", "answer.max_statements=2"):
            other = self.ask(home, ALZHEIMER, "--set", setting)
            hashes.add(other["config_sha256"])
            self.assertNotEqual(other["receipt_sha256"], first["receipt_sha256"])
        self.assertEqual(len(hashes), 4)
        # Writing out a default changes nothing.
        same = self.ask(home, ALZHEIMER, "--set", "rerank.keep=10")
        self.assertEqual(same["receipt_sha256"], first["receipt_sha256"])
        shown = self.assert_code(home.run("config", "show"), EXIT_OK).out
        self.assertIn(first["config_sha256"], shown)

    def test_another_day_is_another_receipt(self):
        first = self.ask(home, ALZHEIMER)
        later = home.run("ask", "--json", "--now", "2027-01-01", ALZHEIMER).json()
        self.assertNotEqual(first["receipt_sha256"], later["receipt_sha256"])
        self.assertEqual((first["day"], later["day"]), (NOW, "2027-01-01"))

    def test_an_honest_receipt_verifies(self):
        receipt = self.ask(home, ALZHEIMER)
        result = self.verify(receipt, EXIT_OK)
        self.assertTrue(result["hash_holds"] and result["all_well"])
        self.assertEqual({c["state"] for c in result["citations"]}, {"unchanged"})
        self.assertEqual(len(result["citations"]), len(self.citations(receipt)))
        by_hash = home.run("verify", receipt["receipt_sha256"])
        self.assert_code(by_hash, EXIT_OK)
        self.assertIn("all citations hold", by_hash.out)
        # Time and cost are no part of the proof.
        receipt["cost"]["ms"] = 1
        receipt["steps"][0]["ms"] = 99
        self.verify(receipt, EXIT_OK)

    def test_every_tampering_is_found(self):
        def set_quote(receipt):
            citation = receipt["statements"][0]["citations"][0]
            citation["quote"] = citation["quote"].replace("e", "a", 1)

        def set_quote_and_hash(receipt):
            set_quote(receipt)
            citation = receipt["statements"][0]["citations"][0]
            citation["quote_sha256"] = hashlib.sha256(citation["quote"].encode()).hexdigest()

        def set_hash(receipt):
            citation = receipt["statements"][0]["citations"][0]
            citation["quote_sha256"] = citation["quote_sha256"][::-1]

        def shift(field, by):
            def change(receipt):
                receipt["statements"][0]["citations"][0][field] += by
            return change

        def set_field(*path, value):
            def change(receipt):
                place = receipt
                for part in path[:-1]:
                    place = place[part]
                place[path[-1]] = value
            return change

        tamperings = [set_quote, set_quote_and_hash, set_hash, shift("start", 1), shift("end", -1),
                      shift("start", -1), shift("version", 1), shift("passage", 1),
                      set_field("answer", value="Etwas anderes."),
                      set_field("statements", 0, "text", value="Etwas anderes."),
                      set_field("statements", 0, "supported", value=False),
                      set_field("statements", 0, "citations", 0, "title", value="Anderer Titel"),
                      set_field("statements", 0, "citations", 0, "date", value="1999-01-01"),
                      set_field("question", value="Andere Frage?"), set_field("day", value="2020-01-01"),
                      set_field("generation", value=7), set_field("config_sha256", value="0" * 64),
                      set_field("models", 0, "sha256", value="0" * 64),
                      set_field("receipt_sha256", value="0" * 64), set_field("neu", value=1)]
        original = self.ask(home, QUESTION)
        for number, tamper in enumerate(tamperings):
            with self.subTest(number):
                receipt = json.loads(json.dumps(original))
                tamper(receipt)
                path = write(home.path / "receipt.json", json.dumps(receipt, ensure_ascii=False))
                result = self.assert_code(home.run("verify", "--json", path), EXIT_FAILED)
                # A span that begins before the text is refused as a whole, without a verdict.
                self.assertFalse(result.out and result.json()["all_well"])
        # With the receipt's own hash made to fit, the text itself must give it away.
        for tamper in (set_quote, set_quote_and_hash, set_hash, shift("start", 1), shift("end", 5)):
            receipt = json.loads(json.dumps(original))
            tamper(receipt)
            states = [c["state"] for c in self.verify(receipt, EXIT_FAILED)["citations"]]
            self.assertIn("broken", states)

    def test_a_forgery_with_a_fitting_hash_is_found(self):
        original = self.ask(home, QUESTION)
        result = self.verify(with_own_hash(original), EXIT_OK)
        self.assertTrue(result["hash_holds"] and result["answer_holds"])

        def forged(change):
            receipt = json.loads(json.dumps(original))
            change(receipt)
            result = self.verify(with_own_hash(receipt), EXIT_FAILED)
            self.assertTrue(result["hash_holds"])
            self.assertFalse(result["all_well"])
            return result["citations"][0]["state"], result["answer_holds"]

        def set_text(receipt):
            first = receipt["statements"][0]
            receipt["answer"] = receipt["answer"].replace(first["text"], "Lecanemab ist verboten.")
            first["text"] = "Lecanemab ist verboten."

        def set_text_as_reviewed(receipt):
            set_text(receipt)
            receipt["statements"][0]["reviewed"] = True

        self.assertEqual(forged(set_text), ("broken", True))
        self.assertEqual(forged(set_text_as_reviewed), ("broken", True))
        self.assertEqual(forged(lambda r: r["statements"][0].pop("text")), ("broken", False))
        self.assertEqual(forged(lambda r: r.update(answer="Nein.")), ("unchanged", False))
        self.assertEqual(forged(lambda r: r.pop("answer")), ("unchanged", False))
        for field, value in (("title", "Anderer Titel"), ("url", "https://anders.example/"),
                             ("date", "1999-01-01"), ("date", None), ("origin", "/anders.md"), ("title", 5),
                             ("document", STORIES[-1]), ("source", "/anders")):
            with self.subTest(field=field, value=value):
                receipt = json.loads(json.dumps(original))
                receipt["statements"][0]["citations"][0][field] = value
                path = write(home.path / "forged.json", json.dumps(with_own_hash(receipt)))
                self.assert_code(home.run("verify", path), EXIT_FAILED)
        # A version that is not stored does not free the other fields.
        self.assertEqual(forged(lambda r: r["statements"][0]["citations"][0].update(
            version=10**6, title="Anderer Titel")), ("broken", True))
        # Fields that only describe may be absent.
        receipt = json.loads(json.dumps(original))
        for field in ("title", "url", "date", "origin"):
            del receipt["statements"][0]["citations"][0][field]
        self.verify(with_own_hash(receipt), EXIT_OK)

    def test_numbers_that_no_receipt_has(self):
        original = self.ask(home, QUESTION)
        citation = original["statements"][0]["citations"][0]
        for field, value in (("start", citation["start"] + 2**32), ("end", citation["end"] + 2**32),
                             ("start", citation["start"] - 2**32), ("end", -1), ("page", 2**32), ("page", -1),
                             ("version", -citation["version"]), ("version", citation["version"] + 2**64),
                             ("version", 2**63), ("passage", -1), ("start", citation["start"] + 0.5),
                             ("end", str(citation["end"])), ("end", True), ("version", None)):
            with self.subTest(field=field, value=value):
                receipt = json.loads(json.dumps(original))
                receipt["statements"][0]["citations"][0][field] = value
                path = write(home.path / "zahlen.json", json.dumps(with_own_hash(receipt)))
                result = self.assert_code(home.run("verify", path), EXIT_FAILED)
                self.assert_one_complaint(result, "zahlen.json", f"statements[0].citations[0].{field}")

    def test_what_is_no_receipt(self):
        for number, text in enumerate(("", "{}", "[]", "kein json", '{"statements": 3}', "{" * 100000,
                                       '{"receipt_sha256": "x", "statements": [{}]}',
                                       '{"receipt_sha256": "x", "statements": [{"citations": [{}]}]}',
                                       '{"receipt_sha256": 5, "statements": []}')):
            with self.subTest(number):
                path = write(home.path / "falsch.json", text)
                result = self.assert_code(home.run("verify", path), EXIT_FAILED, EXIT_USAGE)
                self.assert_one_complaint(result)
        self.assert_code(home.run("verify", "0" * 64), EXIT_FAILED)
        self.assert_code(home.run("verify"), EXIT_USAGE)

    def test_an_empty_list_of_statements_does_not_pass_for_proof(self):
        receipt = self.ask(home, QUESTION)
        receipt["statements"] = []
        self.assertFalse(self.verify(receipt, EXIT_FAILED)["all_well"])

    def test_changes_of_the_document_and_rollback(self):
        before = self.ask(home, QUESTION)
        citation = before["statements"][0]["citations"][0]
        path = documents / (citation["document"] + ".md")
        kept = path.read_text(encoding="utf-8")
        head, body = kept.split("\n---\n", 1)
        quote_line = next(line for line in body.splitlines() if citation["quote"][:40] in line)

        def state_after(change):
            change()
            self.ingest(home, documents)
            codes = (EXIT_OK, EXIT_FAILED)
            states = [c["state"] for c in self.verify(before, *codes)["citations"]]
            code = home.run("verify", before["receipt_sha256"]).code
            self.assert_all_well(home)
            # Undo, and everything is as it was: the answer to the byte.
            self.assert_code(home.run("rollback"), EXIT_OK)
            after = self.ask(home, QUESTION)
            self.assertEqual(after["receipt_sha256"], before["receipt_sha256"])
            self.assertEqual(after["answer"].encode(), before["answer"].encode())
            self.assertEqual(after["statements"], before["statements"])
            self.verify(before, EXIT_OK)
            self.assert_all_well(home)
            write(path, kept)
            return states[0], code

        self.assertEqual(state_after(lambda: write(path, head + "\n---\n\nNeuer erster Absatz.\n" + body)),
                         ("moved", EXIT_OK))
        self.assertEqual(state_after(lambda: write(path, head + "\n---\n" + body + "\nNeues Ende.\n")),
                         ("unchanged", EXIT_OK))
        self.assertEqual(state_after(lambda: write(path, head + "\n---\n" + body.replace(
            quote_line, "Dieser Absatz wurde ersetzt."))), ("changed", EXIT_FAILED))
        self.assertEqual(state_after(path.unlink), ("deleted", EXIT_FAILED))
        # The next ingest after a rollback finds the folder as the corpus has it.
        _, summary = self.ingest(home, documents)
        self.assertIsNone(summary["generation"])

    def test_rollback_has_an_end(self):
        other = bp.Home()
        self.addCleanup(other.remove)
        folder = other.folder("pool")
        self.assert_code(other.run("rollback"), EXIT_FAILED)
        for number in range(2):
            write(folder / "a.md", bp.story("A", f"Der Igel frisst {number + 1} Käfer."))
            self.ingest(other, folder)
        self.assertEqual(self.assert_code(other.run("rollback", "--json"), EXIT_OK).json(), {"generation": 1})
        self.assertIn("1 Käfer", other.run("search", "Igel").out)
        self.assert_code(other.run("rollback"), EXIT_OK)
        self.assert_one_complaint(self.assert_code(other.run("ask", "Igel?"), EXIT_FAILED), "empty")
        self.assert_code(other.run("rollback"), EXIT_FAILED)
        self.assert_code(other.run("audit"), EXIT_OK)
        _, summary = self.ingest(other, folder)
        self.assertEqual(summary["added"], 1)
        self.assertGreater(summary["generation"], 2, "the number of an undone generation came again")

    def test_replay(self):
        receipt = self.ask(home, ALZHEIMER)
        for name in ("last", receipt["trace"], receipt["trace"][:-3]):
            result = self.assert_code(home.run("replay", "--json", name), EXIT_OK).json()
            self.assertTrue(result["same"], name)
            self.assertEqual(result["not_reproducible_because"], [])
            self.assertEqual(result["after"]["receipt_sha256"], receipt["receipt_sha256"])
        self.ask(home, ALZHEIMER, "--filter", "language=de", "--filter", "from=2024-01-01",
                 "--set", "rerank.keep=4", "--no-decompose")
        result = self.assert_code(home.run("replay", "--json"), EXIT_OK).json()
        self.assertTrue(result["same"], "filters and settings of the trace were not used again")
        changed = self.assert_code(home.run("replay", "--json", receipt["trace"], "--with",
                                            "rerank.keep=2"), EXIT_OK).json()
        self.assertFalse(changed["same"])
        self.assertIn("settings", " ".join(changed["not_reproducible_because"]))
        self.assert_code(home.run("replay", "t-gibt-es-nicht"), EXIT_FAILED)
        self.assert_code(home.run("replay", "last", "--with", "rerank.kep=2"), EXIT_USAGE)

    def test_trace_numbers_agree(self):
        for question in (ALZHEIMER, QUESTION, "Was macht Juice?"):
            with self.subTest(question):
                receipt = self.ask(home, question)
                trace = self.assert_code(home.run("trace", "last", "--json"), EXIT_OK).json()
                self.assertEqual(trace["receipt"], receipt)
                self.check_steps(trace, receipt)

    def check_steps(self, trace, receipt):
        steps = {s["name"]: s for s in trace["steps"]}  # Of a corrective pass, the second numbers.
        names = [s["name"] for s in trace["steps"]]
        first = ["admit", "route", "plan"]
        searched = ["retrieve", "fuse", "rerank passages", "filter", "expand", "rerank articles", "recency",
                    "assemble", "generate", "cite", "check", "gate"]
        corrected = len(names) > 16
        self.assertEqual(names, first + searched + (searched if corrected else []) + ["record"])
        if corrected:
            gate = next(s for s in trace["steps"] if s["name"] == "gate")
            self.assertEqual(gate["out"], 0, "an answer was sought again although there was one")
        wider = 3 if corrected else 1
        self.assertEqual([(s["name"], s["in"], s["out"]) for s in receipt["steps"]],
                         [(s["name"], s["in"], s["out"]) for s in trace["steps"][:-1]])
        out = {name: steps[name]["out"] for name in names}
        into = {name: steps[name]["in"] for name in names}
        queries = receipt["plan"]["queries"]
        self.assertEqual(out["plan"], len(queries))
        self.assertEqual(into["retrieve"], len(queries))
        lists = steps["retrieve"]["detail"]["lists"]
        self.assertEqual([(e["query"], e["retriever"]) for e in lists],
                         [(q, r) for q in range(len(queries)) for r in ("lexical", "dense", "late")])
        self.assertTrue(all(e["hits"] <= 10 * wider for e in lists))
        self.assertEqual(out["retrieve"], sum(e["hits"] for e in lists))
        for earlier, later in (("retrieve", "fuse"), ("rerank passages", "filter"), ("filter", "expand"),
                               ("expand", "rerank articles"), ("rerank articles", "recency"),
                               ("generate", "cite"), ("cite", "check"), ("check", "gate")):
            self.assertEqual(out[earlier], into[later], (earlier, later))
        self.assertLessEqual(out["fuse"], into["fuse"])
        self.assertEqual(into["rerank passages"], min(25 * wider, out["fuse"]))
        self.assertLessEqual(out["rerank passages"], 10)
        for step in ("filter", "rerank articles", "check", "assemble"):
            self.assertLessEqual(out[step], into[step], step)
        self.assertLessEqual(out["expand"], 8)
        self.assertEqual(out["recency"], into["recency"])
        self.assertEqual(len(receipt["evidence"]), out["recency"])
        self.assertEqual(sum(a["passages"] for a in steps["expand"]["detail"]["articles"]), into["assemble"])
        self.assertEqual(sum(e["passages"] for e in receipt["evidence"]), out["assemble"])
        self.assertLessEqual(steps["assemble"]["detail"]["tokens"], 6000)
        self.assertEqual(len(receipt["statements"]), out["gate"])
        self.assertLessEqual(out["gate"], 6)
        for candidate in steps["fuse"]["detail"]["top"]:
            self.assertAlmostEqual(sum(s["share"] for s in candidate["shares"]), 1.0, places=4)
        scores = [c["score"] for c in steps["fuse"]["detail"]["top"]]
        self.assertEqual(scores, sorted(scores, reverse=True))
        # Weighted reciprocal rank fusion, computed again.
        weights = {(e["query"], e["retriever"]): e["weight"] for e in lists}
        for candidate in steps["fuse"]["detail"]["top"]:
            expected = sum(weights[s["query"], s["retriever"]] / (10 + s["rank"]) for s in candidate["shares"])
            self.assertAlmostEqual(candidate["score"], expected, places=4)
        for article in receipt["evidence"]:
            self.assertGreaterEqual(article["relevance"], 0.15)
            self.assertAlmostEqual(article["score"], article["relevance"] * (0.3 + 0.7 * article["decay"]),
                                   places=4)
            if article["age_days"] is not None:
                self.assertAlmostEqual(article["decay"], 0.5 ** (article["age_days"] / 365), places=4)
        finals = [a["score"] for a in receipt["evidence"]]
        self.assertEqual(finals, sorted(finals, reverse=True))
        judged = {p["passage"]: p for p in steps["rerank passages"]["detail"]["passages"]}
        self.assertEqual(len(judged), out["rerank passages"])
        for passage in judged.values():
            self.assertEqual(passage["relevance"], max(passage["per_query"]))
            self.assertTrue(0 <= passage["relevance"] <= 1)

    def test_text_of_a_trace_and_unknown_traces(self):
        self.ask(home, QUESTION)
        result = self.assert_code(home.run("trace"), EXIT_OK)
        self.assertIn(QUESTION, result.out)
        self.assertIn("rerank passages", result.out)
        self.assert_one_complaint(self.assert_code(home.run("trace", "t-gibt-es-nicht"), EXIT_FAILED))

    def test_a_copied_home_gives_the_same_receipt(self):
        first = self.ask(home, QUESTION)
        copy = bp.Home()
        self.addCleanup(copy.remove)
        shutil.copytree(home.path / "corpora", copy.path / "corpora")
        self.assertEqual(self.ask(copy, QUESTION)["receipt_sha256"], first["receipt_sha256"])


if __name__ == "__main__":
    bp.main()
