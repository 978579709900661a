"""The contract of `beleg ingest`: what it reads, what it says of each file, how it ends."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_PARTIAL, EXIT_USAGE, story, write  # noqa: E402

FILE_FIELDS = {"path", "outcome", "reason", "documents", "passages", "encoding"}
OUTCOMES = {"added", "changed", "unchanged", "removed", "failed", "partial"}
SUMMARY_FIELDS = {"generation", "files", "added", "changed", "unchanged", "removed", "failed",
                  "partial", "ignored", "passages", "encoded", "reused", "warnings", "ms", "cpu_ms"}

# Written form → moment in UTC, and whether only the day is known.
DATES = {
    "2025-03-31T14:05:09+02:00": ("2025-03-31T12:05:09Z", False),
    "2025-03-31T14:05:09Z": ("2025-03-31T14:05:09Z", False),
    "2025-03-31 14:05:09": ("2025-03-31T14:05:09Z", False),
    "2025-03-31 14:05": ("2025-03-31T14:05:00Z", False),
    "2025-03-31": ("2025-03-31T00:00:00Z", True),
    "2025/03/31": ("2025-03-31T00:00:00Z", True),
    "31.03.2025": ("2025-03-31T00:00:00Z", True),
    "31.03.2025 14:05": ("2025-03-31T14:05:00Z", False),
    "31. März 2025": ("2025-03-31T00:00:00Z", True),
    "March 31, 2025": ("2025-03-31T00:00:00Z", True),
    "Mon, 31 Mar 2025 14:05:09 +0200": ("2025-03-31T12:05:09Z", False),
    "2024-02-29": ("2024-02-29T00:00:00Z", True),
    "1969-07-20": ("1969-07-20T00:00:00Z", True),
}
NO_DATES = ["2025-02-29", "31.13.2025", "gestern", "2025-03-31T25:00:00Z"]


def utc(seconds):
    from datetime import datetime, timedelta, timezone
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class IngestTest(bp.ProgramTest):
    def setUp(self):
        self.home = bp.Home()
        self.addCleanup(self.home.remove)
        self.folder = self.home.folder("pool")

    def outcomes(self, lines):
        return {name: line["outcome"] for name, line in lines.items()}

    def generation(self):
        return self.home.truth("SELECT current_generation FROM corpus")[0][0]

    def test_one_json_line_per_file_then_the_summary(self):
        write(self.folder / "a.md", story("A", "Der Igel überwintert im Laubhaufen."))
        write(self.folder / "b.html", "<html lang=de><title>Seite</title><body><main><p>Der Dachs "
              "gräbt einen Bau im Wald.</p></main></body></html>")
        write(self.folder / "tief" / "c.txt", "Der Fuchs jagt nachts auf dem Feld.\n")
        write(self.folder / "d.jsonl", "".join(
            json.dumps({"_id": f"J{i}", "title": "Vögel", "text": f"Vogel Nummer {i} singt."}) + "\n"
            for i in range(3)))
        write(self.folder / "bild.png", b"\x89PNG\r\n\x1a\n")
        write(self.folder / ".versteckt.md", "nicht lesen")
        lines, summary = self.ingest(self.home, self.folder)
        self.assertEqual(set(lines), {"a.md", "b.html", "c.txt", "d.jsonl"})
        for name, line in lines.items():
            self.assertLessEqual(FILE_FIELDS, set(line), line)
            self.assertIn(line["outcome"], OUTCOMES)
            self.assertEqual(line["outcome"], "added", line)
            self.assertEqual(line["reason"], "", line)
            self.assertEqual(line["documents"], 3 if name == "d.jsonl" else 1, line)
            self.assertEqual(line["passages"], line["documents"], line)
            self.assertEqual(line["encoding"], "UTF-8", line)
            self.assertTrue(os.path.isabs(line["path"]) and os.path.exists(line["path"]), line)
        self.assertLessEqual(SUMMARY_FIELDS, set(summary))
        self.assertEqual((summary["files"], summary["added"], summary["ignored"]), (4, 6, 2))
        self.assertEqual(summary["generation"], 1)
        self.assertEqual(self.assert_all_well(self.home)["documents"], 6)

    def test_text_output_is_for_people(self):
        write(self.folder / "a.md", story("A", "Der Igel überwintert im Laubhaufen."))
        result = self.assert_code(self.home.run("ingest", self.folder), EXIT_OK)
        self.assertIn("1 documents added", result.out)
        self.assertIn("generation 1", result.out)

    def test_second_run_changes_nothing(self):
        write(self.folder / "a.md", story("A", "Der Igel überwintert im Laubhaufen."))
        write(self.folder / "b.jsonl", '{"id": "B", "text": "Der Dachs gräbt einen Bau."}\n')
        self.ingest(self.home, self.folder)
        os.utime(self.folder / "a.md", (1, 1))  # Only the content counts, never the clock.
        lines, summary = self.ingest(self.home, self.folder)
        self.assertEqual(self.outcomes(lines), {"a.md": "unchanged", "b.jsonl": "unchanged"})
        self.assertIsNone(summary["generation"])
        self.assertEqual((summary["unchanged"], summary["encoded"]), (2, 0))
        self.assertEqual(self.generation(), 1)

    def test_changed_removed_and_added(self):
        write(self.folder / "a.md", story("A", "Der Igel überwintert im Laubhaufen."))
        write(self.folder / "b.md", story("B", "Der Dachs gräbt einen Bau im Wald."))
        write(self.folder / "c.md", story("C", "Der Fuchs jagt nachts auf dem Feld."))
        self.ingest(self.home, self.folder)
        write(self.folder / "a.md", story("A", "Der Igel frisst Käfer und Würmer."))
        (self.folder / "b.md").unlink()
        write(self.folder / "d.md", story("D", "Die Eule sitzt auf einem Balken."))
        lines, summary = self.ingest(self.home, self.folder)
        self.assertEqual(self.outcomes(lines), {"a.md": "changed", "b.md": "removed",
                                                "c.md": "unchanged", "d.md": "added"})
        self.assertEqual((summary["generation"], summary["encoded"]), (2, 2))
        found = self.found(self.home, "Igel Dachs Bau Laubhaufen", "--mode", "lexical")
        self.assertEqual(found, ["A"])
        result = self.home.run("search", "--json", "--mode", "lexical", "Igel")
        self.assertNotIn("Laubhaufen", result.out, "the old version is still found")
        self.assert_all_well(self.home)

    def test_only_metadata_changed_is_changed(self):
        write(self.folder / "a.md", story("A", "Der Igel frisst Käfer.", published="2024-01-01"))
        self.ingest(self.home, self.folder)
        write(self.folder / "a.md", story("A", "Der Igel frisst Käfer.", published="2025-01-01"))
        lines, _ = self.ingest(self.home, self.folder)
        self.assertEqual(self.outcomes(lines), {"a.md": "changed"})
        self.assertEqual(utc(self.home.metadata_of("A")["published"]["time"])[:4], "2025")

    def test_a_document_with_an_id_keeps_it_when_its_file_moves(self):
        write(self.folder / "a.md", story("A", "Der Igel frisst Käfer."))
        self.ingest(self.home, self.folder)
        (self.folder / "a.md").rename(self.folder / "b.md")
        lines, summary = self.ingest(self.home, self.folder)
        self.assertEqual(self.outcomes(lines), {"b.md": "changed"})
        self.assertEqual((summary["removed"], summary["added"]), (0, 0))
        self.assertEqual(self.home.truth("SELECT count(*) FROM document")[0][0], 1)

    def test_identical_files_are_two_documents(self):
        write(self.folder / "a.txt", "Der Luchs schleicht durch das Unterholz.\n")
        write(self.folder / "b.txt", "Der Luchs schleicht durch das Unterholz.\n")
        lines, summary = self.ingest(self.home, self.folder)
        self.assertEqual(self.outcomes(lines), {"a.txt": "added", "b.txt": "added"})
        self.assertEqual((summary["encoded"], summary["reused"]), (1, 1))
        self.assertEqual(sorted(self.found(self.home, "Luchs")), ["a.txt", "b.txt"])
        (self.folder / "a.txt").unlink()
        self.ingest(self.home, self.folder)
        self.assertEqual(self.found(self.home, "Luchs"), ["b.txt"])
        self.assert_all_well(self.home)

    def test_a_file_that_fails_keeps_its_old_document(self):
        write(self.folder / "a.md", story("A", "Der Igel frisst Käfer."))
        write(self.folder / "b.md", story("B", "Der Dachs gräbt einen Bau."))
        self.ingest(self.home, self.folder)
        write(self.folder / "a.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
        lines, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assertEqual(self.outcomes(lines), {"a.md": "failed", "b.md": "unchanged"})
        self.assertNotEqual(lines["a.md"]["reason"], "")
        self.assertEqual((summary["failed"], summary["removed"]), (1, 0))
        self.assertIn("A", self.found(self.home, "Igel frisst Käfer"))
        failures = self.home.run("corpus", "failures")
        self.assertEqual(failures.code, EXIT_OK)
        self.assertIn("a.md", failures.out)
        self.assert_all_well(self.home)

    def test_remove_missing_can_be_switched_off(self):
        write(self.folder / "a.md", story("A", "Der Igel frisst Käfer."))
        write(self.folder / "b.md", story("B", "Der Dachs gräbt einen Bau."))
        self.ingest(self.home, self.folder)
        (self.folder / "b.md").unlink()
        _, summary = self.ingest(self.home, self.folder, "--set", "ingest.remove_missing=false")
        self.assertEqual(summary["removed"], 0)
        _, summary = self.ingest(self.home, self.folder)
        self.assertEqual(summary["removed"], 1)

    def test_one_named_file_removes_no_other(self):
        write(self.folder / "a.md", story("A", "Der Igel frisst Käfer."))
        write(self.folder / "b.md", story("B", "Der Dachs gräbt einen Bau."))
        self.ingest(self.home, self.folder)
        (self.folder / "b.md").unlink()
        lines, summary = self.ingest(self.home, self.folder / "a.md")
        self.assertEqual(self.outcomes(lines), {"a.md": "unchanged"})
        self.assertEqual(summary["removed"], 0)

    def test_exit_codes(self):
        write(self.folder / "a.md", story("A", "Der Igel frisst Käfer."))
        write(self.folder / "bild.png", b"\x89PNG\r\n\x1a\n")
        self.assert_code(self.home.run("ingest"), EXIT_USAGE)
        self.assert_code(self.home.run("ingest", "--unbekannt", self.folder), EXIT_USAGE)
        self.assert_code(self.home.run("ingest", "--set", "chunk.max_token=9", self.folder), EXIT_USAGE)
        self.assert_code(self.home.run("ingest", "--corpus", "../x", self.folder), EXIT_USAGE)
        missing = self.home.run("ingest", self.folder / "fehlt")
        self.assert_code(missing, EXIT_FAILED)
        self.assert_one_complaint(missing, "fehlt", "does not exist")
        self.assert_code(self.home.run("ingest", "--json", self.folder / "bild.png"), EXIT_FAILED)
        self.assert_code(self.home.run("ingest", self.home.folder("leer")), EXIT_FAILED)
        self.assert_code(self.home.run("ingest", self.folder, "--quiet"), EXIT_OK)

    def test_a_path_in_brackets_is_a_path(self):
        path = write(self.folder / "[a,b].md", story("A", "Der Igel frisst Käfer."))
        lines, _ = self.ingest(self.home, path)
        self.assertEqual(self.outcomes(lines), {"[a,b].md": "added"})

    def test_jsonl_in_both_usual_forms(self):
        write(self.folder / "beir.jsonl",
              '{"_id": "B1", "title": "Fluss", "text": "Die Elbe mündet in die Nordsee."}\n'
              "\n"
              '{"_id": 17, "title": "", "text": "Der Rhein entspringt in der Schweiz.", "metadata": {}}\n')
        write(self.folder / "news.jsonl", json.dumps(
            {"id": "N1", "date": "2025-03-31", "url": "https://newsroom.example/n1",
             "title": "Brücke gesperrt", "text": "Die Brücke über die Saale ist gesperrt.",
             "lang": "de"}, ensure_ascii=False) + "\n")
        lines, summary = self.ingest(self.home, self.folder)
        self.assertEqual(self.outcomes(lines), {"beir.jsonl": "added", "news.jsonl": "added"})
        self.assertEqual(summary["added"], 3)
        news = self.home.metadata_of("N1")
        self.assertEqual((news["title"], news["url"], news["language"]),
                         ("Brücke gesperrt", "https://newsroom.example/n1", "de"))
        self.assertEqual(utc(news["published"]["time"])[:10], "2025-03-31")
        self.assertEqual(self.found(self.home, "Brücke Saale", "--k", "1"), ["N1"])
        self.assertIsNotNone(self.home.metadata_of("17"))
        text = self.home.truth("SELECT text FROM content "
                               "JOIN version ON version.id = content.version JOIN document ON document.id = version.document "
                               "WHERE external_id = 'B1'")[0][0]
        self.assertEqual(text.strip(), "Die Elbe mündet in die Nordsee.")

    def test_bad_jsonl_records_are_named_and_cost_only_themselves(self):
        good = '{"id": "G%d", "text": "Satz Nummer %d über Flüsse."}\n'
        write(self.folder / "a.jsonl", good % (1, 1) + "{kein json\n" + good % (2, 2) +
              '{"id": "leer"}\n' + '[1, 2]\n' + good % (1, 9) + good % (3, 3))
        lines, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        line = lines["a.jsonl"]
        self.assertEqual((line["outcome"], line["documents"]), ("partial", 3))
        self.assertIn("4 records", line["reason"])
        self.assertIn("line 2", line["reason"])
        self.assertEqual(summary["partial"], 1)
        # A record that was good once and is broken now keeps what the corpus has of it.
        write(self.folder / "a.jsonl", good % (1, 1) + '{"id": "G2", "text": \n' + good % (3, 3))
        _, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assertEqual((summary["removed"], summary["unchanged"]), (0, 2))
        self.assertIsNotNone(self.home.metadata_of("G2"))
        # Whole again without it, it is gone.
        write(self.folder / "a.jsonl", good % (1, 1) + good % (3, 3))
        _, summary = self.ingest(self.home, self.folder)
        self.assertEqual(summary["removed"], 1)
        self.assert_all_well(self.home)

    def test_the_limit_of_records_is_not_that_of_files(self):
        text = "Der Igel frisst Käfer und Würmer. " * 60
        write(self.folder / "a.txt", text)
        write(self.folder / "b.md", story("B", text))
        write(self.folder / "c.html", f"<html lang=de><body><main><p>{text}</p></main></body></html>")
        write(self.folder / "d.jsonl", json.dumps({"id": "D", "text": text}) + "\n")
        lines, _ = self.ingest(self.home, self.folder, "--set", "ingest.max_record_bytes=1024",
                               codes=(EXIT_PARTIAL,))
        self.assertEqual(self.outcomes(lines), {"a.txt": "added", "b.md": "added", "c.html": "added",
                                                "d.jsonl": "failed"})
        self.assertIn("max_record_bytes", lines["d.jsonl"]["reason"])

    def test_two_files_with_one_id_are_reported(self):
        write(self.folder / "a.md", story("GLEICH", "Der Igel frisst Käfer."))
        write(self.folder / "b.md", story("GLEICH", "Der Dachs gräbt einen Bau."))
        lines, _ = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assertEqual(self.outcomes(lines), {"a.md": "added", "b.md": "failed"})
        self.assertIn("GLEICH", lines["b.md"]["reason"])
        self.assertIn("a.md", lines["b.md"]["reason"])

    def test_dates_of_all_kinds(self):
        for number, written in enumerate(DATES):
            write(self.folder / f"yaml{number}.md", story(f"Y{number}", "Ein Satz über das Wetter.",
                                                          published=f'"{written}"'))
        write(self.folder / "bare.md", story("BARE", "Ein Satz über das Wetter.", date="2025-03-31"))
        write(self.folder / "toml.md", '+++\nid = "TOML"\ndate = 2025-03-31T14:05:09+02:00\n+++\n\n'
              "Ein Satz über das Wetter.\n")
        for number, field in enumerate(("date_published", "datePublished", "publish_date", "pubdate",
                                        "created_at")):
            write(self.folder / f"feld{number}.md",
                  story(f"F{number}", "Ein Satz über das Wetter.", **{field: "2025-03-31"}))
        write(self.folder / "dc.html", '<html lang="de"><head><title>Wetter</title>'
              '<meta name="DCTERMS.issued" content="2025-03-31"></head>'
              "<body><main><p>Ein Satz über das Wetter.</p></main></body></html>")
        write(self.folder / "og.html", '<html lang="de"><head><title>Wetter</title>'
              '<meta property="article:published_time" content="2025-03-31T14:05:09+02:00"></head>'
              "<body><main><p>Ein Satz über das Wetter.</p></main></body></html>")
        write(self.folder / "ohne.md", story("OHNE", "Ein Satz über das Wetter."))
        lines, _ = self.ingest(self.home, self.folder)
        for number, (written, (moment, day_only)) in enumerate(DATES.items()):
            with self.subTest(written):
                self.assertNotIn("warnings", lines[f"yaml{number}.md"])
                published = self.home.metadata_of(f"Y{number}")["published"]
                self.assertEqual(utc(published["time"]), moment)
                self.assertEqual(published["precision"] == "day", day_only)
        for external_id in ("BARE", "TOML", "F0", "F1", "F2", "F3", "F4", "dc.html", "og.html"):
            with self.subTest(external_id):
                published = self.home.metadata_of(external_id)["published"]
                self.assertIsNotNone(published)
                self.assertEqual(utc(published["time"])[:10], "2025-03-31")
        self.assertIsNone(self.home.metadata_of("OHNE")["published"])

    def test_what_is_no_date_is_a_warning_and_no_date(self):
        for number, written in enumerate(NO_DATES):
            write(self.folder / f"d{number}.md", story(f"D{number}", "Ein Satz über das Wetter.",
                                                       published=f'"{written}"'))
        lines, summary = self.ingest(self.home, self.folder)
        self.assertEqual(summary["warnings"], len(NO_DATES))
        for number, written in enumerate(NO_DATES):
            with self.subTest(written):
                self.assertIn("published", " ".join(lines[f"d{number}.md"]["warnings"]))
                self.assertIsNone(self.home.metadata_of(f"D{number}")["published"])

    def test_other_chunk_settings_cut_everything_again(self):
        sentence = "Der Igel frisst Käfer und Würmer, bevor er im Herbst sein Nest aus Laub baut. "
        write(self.folder / "a.md", story("A", sentence * 20))
        self.ingest(self.home, self.folder)
        before = self.assert_all_well(self.home)["passages"]
        _, summary = self.ingest(self.home, self.folder, "--set", "chunk.max_tokens=64")
        self.assertIsNotNone(summary["generation"])
        self.assertGreater(self.assert_all_well(self.home)["passages"], before)


if __name__ == "__main__":
    bp.main()
