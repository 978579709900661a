"""Input that is broken, hostile or huge: one clear line each, the rest is read, nothing crashes."""

import json
import os
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_PARTIAL, story, write  # noqa: E402

HUGE = 200 << 20
TOO_LARGE = 300 << 20  # For one file, by default.
# A model and an index of a few documents need about this much; a file must never be held twice over.
MEMORY_WITHOUT_FILE = 700 << 20


class BadInputTest(bp.ProgramTest):
    def setUp(self):
        self.home = bp.Home()
        self.addCleanup(self.home.remove)
        self.folder = self.home.folder("pool")
        write(self.folder / "gut.md", story("GUT", "Der Igel frisst Käfer und Würmer."))

    def assert_bad(self, line, outcome="failed"):
        """A line that says why, on one line, without control characters."""
        self.assertEqual(line["outcome"], outcome, line)
        self.assertNotEqual(line["reason"], "", line)
        self.assertTrue(all(ord(c) >= 0x20 for c in line["reason"] + line["path"]), line)

    def assert_rest_is_well(self, lines, documents=1):
        self.assertEqual(lines["gut.md"]["outcome"], "added", lines)
        audit = self.assert_all_well(self.home)
        self.assertEqual(audit["documents"], documents, audit)

    def test_empty_binary_and_blank_files(self):
        write(self.folder / "leer.md", b"")
        write(self.folder / "leer.html", b"")
        write(self.folder / "leer.jsonl", b"")
        write(self.folder / "leer.txt", b"")
        write(self.folder / "blank.txt", b" \n\t\n \r\n")
        write(self.folder / "bild.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 64)
        write(self.folder / "programm.txt", b"\x7fELF\x02\x01\x01" + b"\0" * 5000)
        write(self.folder / "nur-kopf.md", "---\nid: X\ntitle: Leer\n---\n")
        write(self.folder / "kaputter-kopf.md", "---\nid: [unclosed\n---\n\nText bleibt lesbar.\n")
        lines, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        for name in ("leer.md", "leer.html", "leer.jsonl", "leer.txt", "blank.txt", "bild.md",
                     "programm.txt"):
            with self.subTest(name):
                self.assert_bad(lines[name])
                self.assertEqual((lines[name]["documents"], lines[name]["passages"]), (0, 0))
        self.assertIn(lines["nur-kopf.md"]["outcome"], ("failed", "added"), lines["nur-kopf.md"])
        self.assert_bad(lines["kaputter-kopf.md"])
        self.assertIn("line 2, field 'id'", lines["kaputter-kopf.md"]["reason"])
        self.assert_rest_is_well(lines, documents=summary["added"])

    def test_every_command_treats_a_missing_file_alike(self):
        """Exit code 1 and one line with the file and a remedy; a folder where a file should be, too."""
        self.ingest(self.home, self.folder)
        there = write(self.folder.parent / "da.txt", "1 0 GUT 1\n")
        takes_file = [(*("calibrate", what, "--questions"), None) for what in ("relevance", "fusion", "plan")]
        takes_file += [("eval", "--qrels", there, "--run", None), ("eval", "--run", there, "--qrels", None),
                       ("search", "--queries", None), ("config", "--config", None), ("verify", None),
                       ("restore", "--corpus", "neu", None)]
        takes_folder = [("ingest", None), ("models", "add", "neu", "--role", "cross-encoder", "--from", None)]
        missing = self.folder.parent / "fehlt.jsonl"
        cases = [(command, missing) for command in takes_file + takes_folder]
        cases += [(command, self.folder) for command in takes_file]
        for command, path in cases:
            arguments = [path if part is None else part for part in command]
            with self.subTest(" ".join(str(part) for part in arguments)):
                result = self.assert_code(self.home.run(*arguments), EXIT_FAILED)
                self.assert_one_complaint(result, path.name)
                self.assertRegex(result.err, r"\(.+\)$", "no remedy")
        self.assert_all_well(self.home)

    def test_broken_front_matter_fails_the_file_and_keeps_what_was_there(self):
        path = write(self.folder / "a.md", story("A1", "Der Dachs gräbt einen Bau.", date="2024-01-01"))
        self.ingest(self.home, self.folder)
        closing = "date: 2024-01-01\n---\n\nDer Dachs gräbt.\n"
        for text, words in (
                ("---\nid: A1\ntitle: Dachs: Egon\n" + closing, ("line 3", "'title'", "into quotes")),
                ("\n---\nid: A1\ntitle: \"Dachs\n" + closing, ("line 4", "'title'", "close the quote")),
                ('+++\nid = "A1"\ndate = 2024-02-30\n+++\n\nDer Dachs.\n', ("line 3", "'date'", "quotes"))):
            with self.subTest(text):
                write(path, text)
                lines, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
                self.assert_bad(lines["a.md"])
                for word in words:
                    self.assertIn(word, lines["a.md"]["reason"])
                self.assertEqual((summary["failed"], summary["removed"]), (1, 0))
                self.assertIsNotNone(self.home.metadata_of("A1")["published"])
        self.assert_all_well(self.home)

    def test_front_matter_that_is_never_closed_shows_nothing(self):
        write(self.folder / "offen.md", "---\nid: A1\naccess: [red]\n\nDer Luchs ist geheim.\n")
        write(self.folder / "leer-davor.md", "\ufeff\n\n---\nid: A2\naccess: [red]\n---\n\nDer Luchs schläft.\n")
        write(self.folder / "strich.md", "---\n\nDer Wolf steht unter einem Strich.\n")
        lines, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assert_bad(lines["offen.md"])
        for words in ("the front matter that begins in line 1 is never closed", "end it with a line ---"):
            self.assertIn(words, lines["offen.md"]["reason"])
        self.assertEqual(self.home.metadata_of("A2")["access"], ["red"])
        self.assertEqual(self.text_of("strich.md")[0].strip(), "Der Wolf steht unter einem Strich.")
        self.assert_rest_is_well(lines, documents=3)

    def text_of(self, external_id):
        return self.home.truth(
            "SELECT content.text, content.encoding, content.replacements FROM content "
            "JOIN version ON version.id = content.version "
            "JOIN document ON document.id = version.document WHERE external_id = ?", external_id)[0]

    def test_encodings(self):
        sentence = "Für die Prüfung – „übermäßig“ streng – zahlten Bürger 5 €: große Bäume, süße Öfen."
        write(self.folder / "windows.txt", sentence.encode("cp1252"))
        write(self.folder / "latin.txt", "Für große Bäume, süße Öfen und Käse.".encode("latin-1"))
        write(self.folder / "bom.txt", b"\xef\xbb\xbf" + sentence.encode())
        write(self.folder / "le.txt", b"\xff\xfe" + sentence.encode("utf-16-le"))
        write(self.folder / "be.txt", b"\xfe\xff" + sentence.encode("utf-16-be"))
        write(self.folder / "seite.html", ('<html lang="de"><head><meta charset="windows-1252"><title>T'
              "</title></head><body><main><p>" + sentence + "</p></main></body></html>")
              .encode("cp1252"))
        lines, _ = self.ingest(self.home, self.folder)
        for name in ("windows.txt", "bom.txt", "le.txt", "be.txt", "seite.html"):
            with self.subTest(name):
                text, encoding, replaced = self.text_of(name)
                self.assertEqual(text.strip(), sentence)
                self.assertEqual(encoding, lines[name]["encoding"])
                self.assertEqual(replaced, 0)
        self.assertEqual(lines["windows.txt"]["encoding"].upper(), "WINDOWS-1252")
        self.assertEqual(self.text_of("latin.txt")[0].strip(), "Für große Bäume, süße Öfen und Käse.")
        self.assertIn("windows.txt", self.found(self.home, "Prüfung übermäßig", "--mode", "lexical"))
        self.assert_all_well(self.home)

    def test_byte_9d_does_not_spoil_windows_1252(self):
        # 0x97 is an em dash there; 0x9d is nothing in it, yet archives contain it.
        data = "Die Bürger zahlen mehr".encode("cp1252") + b" \x97 so hei\xdft es \x9d in K\xf6ln.\n"
        write(self.folder / "archiv.txt", data)
        lines, _ = self.ingest(self.home, self.folder, codes=(EXIT_OK, EXIT_PARTIAL))
        text, _, _ = self.text_of("archiv.txt")
        self.assertIn("Die Bürger zahlen mehr — so heißt es ", text)
        self.assertIn(" in Köln.", text)
        self.assertIn(lines["archiv.txt"]["outcome"], ("added", "partial"))
        self.assert_all_well(self.home)

    def test_damaged_utf8_is_replaced_and_said(self):
        sentence = "Käse, Öl und Brötchen gibt es täglich früh. "
        write(self.folder / "schaden.md", story("S", sentence * 3).encode() + b"\xff\xc3( Ende\n")
        lines, _ = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assert_bad(lines["schaden.md"], "partial")
        self.assertEqual(lines["schaden.md"]["documents"], 1)
        text, encoding, replaced = self.text_of("S")
        self.assertIn(sentence.strip(), text)
        self.assertEqual(encoding, "UTF-8")
        self.assertGreaterEqual(replaced, 2)
        self.assertEqual(text.count("\ufffd"), replaced)
        self.assert_rest_is_well(lines, documents=2)

    def test_200_mb_in_one_jsonl_line(self):
        path = self.folder / "riesig.jsonl"
        with open(path, "wb") as out:
            out.write(b'{"id": "VOR", "text": "Der Dachs steht vor der riesigen Zeile."}\n')
            out.write(b'{"id": "RIESIG", "text": "')
            block = b"Der lange Satz hat kein Ende " * 40000
            while out.tell() < HUGE:
                out.write(block)
            out.write(b'"}\n{"id": "NACH", "text": "Der Fuchs steht nach der riesigen Zeile."}\n')
        result = self.home.run("ingest", "--json", "--quiet", self.folder)
        self.assert_code(result, EXIT_PARTIAL)
        lines = {os.path.basename(line.get("path", "")): line for line in result.json_lines()}
        self.assert_bad(lines["riesig.jsonl"], "partial")
        self.assertIn("line 2", lines["riesig.jsonl"]["reason"])
        self.assertEqual(lines["riesig.jsonl"]["documents"], 2)
        self.assertLess(result.max_rss, MEMORY_WITHOUT_FILE, "the line was held in memory")
        self.assert_rest_is_well(lines, documents=3)

    def test_300_mb_in_one_text_line(self):
        path = self.folder / "riesig.txt"
        with open(path, "wb") as out:
            block = b"Der lange Satz hat kein Ende " * 40000
            while out.tell() < TOO_LARGE:
                out.write(block)
        with open(self.folder / "nullen.txt", "wb") as out:
            out.truncate(HUGE)  # Sparse: no disk is used.
        with open(self.folder / "zu-gross.txt", "wb") as out:
            out.truncate(TOO_LARGE)
        result = self.home.run("ingest", "--json", "--quiet", self.folder)
        self.assert_code(result, EXIT_PARTIAL)
        lines = {os.path.basename(line.get("path", "")): line for line in result.json_lines()}
        for name in ("riesig.txt", "nullen.txt", "zu-gross.txt"):
            with self.subTest(name):
                self.assert_bad(lines[name])
        for name in ("riesig.txt", "zu-gross.txt"):
            self.assertIn("max_file_bytes", lines[name]["reason"])
        self.assertLess(result.max_rss, MEMORY_WITHOUT_FILE + 2 * HUGE)
        self.assert_rest_is_well(lines)

    def test_one_long_word_is_cut_and_citable(self):
        write(self.folder / "wort.txt", "Donau" * 40000)
        lines, _ = self.ingest(self.home, self.folder, "--set", "ingest.batch_passages=16")
        self.assertEqual(lines["wort.txt"]["outcome"], "added")
        self.assert_rest_is_well(lines, documents=2)

    def test_nested_to_the_sky(self):
        write(self.folder / "tief.html", "<html lang=de><body>" + "<div>" * 100000 + "Tief unten liegt Text."
              + "</div>" * 100000)
        write(self.folder / "tief.md", story("T", ">" * 100000 + " Tief unten liegt Text."))
        write(self.folder / "tief.jsonl", '{"id": "J", "text": "x", "a": ' + "[" * 100000 + "]" * 100000
              + "}\n")
        write(self.folder / "yaml.md", "---\na: " + "[" * 50000 + "]" * 50000 + "\n---\n\nText.\n")
        lines, summary = self.ingest(self.home, self.folder, codes=(EXIT_OK, EXIT_PARTIAL))
        self.assertEqual(set(lines), {"gut.md", "tief.html", "tief.md", "tief.jsonl", "yaml.md"})
        self.assert_rest_is_well(lines, documents=summary["added"])

    def test_links_pipes_and_sockets(self):
        outside = write(self.home.folder("draussen") / "geheim.md", story("GEHEIM", "Nicht für uns."))
        inside = self.folder / "unten"
        write(inside / "tief.md", story("TIEF", "Der Dachs gräbt einen Bau."))
        (self.folder / "hinaus.md").symlink_to(outside)
        (self.folder / "draussen").symlink_to(outside.parent)
        write(self.folder / "ohne-id.txt", "Der Fuchs jagt nachts auf dem Feld.")
        (self.folder / "drinnen.txt").symlink_to(self.folder / "ohne-id.txt")
        (self.folder / "ins-leere.md").symlink_to(self.folder / "gibt-es-nicht.md")
        (self.folder / "selbst.md").symlink_to(self.folder / "selbst.md")
        (inside / "kreis").symlink_to(self.folder)
        os.mkfifo(self.folder / "rohr.md")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.folder / "dose.md"))
            lines, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,), timeout=60)
        for name, word in (("hinaus.md", "leaves the folder"), ("draussen", "leaves the folder"),
                           ("ins-leere.md", "follow the link"), ("selbst.md", "loop"),
                           ("kreis", "leads back"), ("rohr.md", "pipe"), ("dose.md", "socket")):
            with self.subTest(name):
                self.assert_bad(lines[name])
                self.assertIn(word, lines[name]["reason"])
        self.assertEqual(summary["failed"], 7)
        self.assertIsNone(self.home.metadata_of("GEHEIM"), "a link out of the folder was followed")
        for name in ("tief.md", "gut.md", "ohne-id.txt"):
            self.assertEqual(lines[name]["outcome"], "added", lines[name])
        self.assertNotIn("drinnen.txt", lines, "a file was read twice, once through a link")
        self.assert_all_well(self.home)
        # The same things named on the command line.
        self.assert_code(self.home.run("ingest", self.folder / "rohr.md", timeout=30), EXIT_FAILED)
        self.assert_code(self.home.run("ingest", self.folder / "selbst.md", timeout=30), EXIT_FAILED)

    def test_no_permission(self):
        prefix = bp.permission_prefix()
        if prefix is None:
            self.skipTest("permissions do not hold for root, and setpriv is not there")
        secret = write(self.folder / "zu.md", story("ZU", "Verschlossen."))
        closed = self.folder / "ordner"
        write(closed / "innen.md", story("INNEN", "Drinnen."))
        secret.chmod(0)
        closed.chmod(0)
        self.home.prefix = prefix
        lines, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        for name in ("zu.md", "ordner"):
            self.assert_bad(lines[name])
            self.assertIn("ermission", lines[name]["reason"])
        self.assertEqual(summary["failed"], 2)
        self.assert_rest_is_well(lines)
        # What the corpus had of a folder that is locked later stays.
        closed.chmod(0o700)
        self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        closed.chmod(0)
        _, summary = self.ingest(self.home, self.folder, codes=(EXIT_PARTIAL,))
        self.assertEqual(summary["removed"], 0)
        self.assertIsNotNone(self.home.metadata_of("INNEN"))
        closed.chmod(0o700)

    def test_names_of_files(self):
        names = ["größe ß – „Zitat“.md".encode(), b"zeile\numbruch.md", b"tab\tund \x7f.md",
                 b"rot\x1b[31m\xff.md", b"rot\\x1b[31m\\xff.md", b"c1\xc2\x9b31m.md", "😀.md".encode(),
                 b"-rf.md", b"$(reboot).md", b"a'b\"c;d.md"]
        for number, name in enumerate(names):
            with open(os.path.join(os.fsencode(self.folder), name), "w", encoding="utf-8") as out:
                out.write(f"Datei Nummer {number} erzählt vom Wetter in Halle.\n")
        result = self.assert_code(self.home.run("ingest", "--json", "--quiet", self.folder), EXIT_OK)
        self.assert_no_controls(result)
        *files, _ = result.json_lines()
        self.assertEqual(len(files), len(names) + 1)
        self.assertEqual({line["outcome"] for line in files}, {"added"})
        self.assert_rest_is_well({"gut.md": next(f for f in files if f["path"].endswith("gut.md"))},
                                 documents=len(names) + 1)
        ids = [row[0] for row in self.home.truth("SELECT external_id FROM document")]
        self.assertEqual(len(set(ids)), len(ids))
        # Nothing in the other outputs acts on a terminal either.
        for arguments in (("search", "Wetter in Halle", "--k", "20"),
                          ("search", "Wetter in Halle", "--k", "20", "--format", "trec"),
                          ("ask", "Wie ist das Wetter in Halle?"), ("trace",),
                          ("explain", "Wetter in Halle"), ("corpus", "failures")):
            with self.subTest(arguments[0]):
                self.assert_no_controls(self.assert_code(self.home.run(*arguments), EXIT_OK))
        again = self.assert_code(self.home.run("ingest", "--json", "--quiet", self.folder), EXIT_OK)
        self.assertEqual(again.json_lines()[-1]["summary"]["unchanged"], len(names) + 1)

    def test_bad_names_of_bad_files(self):
        for name in (b"rot\x1b[31m\xff.md", b"zeile\numbruch.md"):
            with open(os.path.join(os.fsencode(self.folder), name), "wb") as out:
                out.write(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 16)
        result = self.assert_code(self.home.run("ingest", self.folder), EXIT_PARTIAL)
        self.assert_no_controls(result)
        self.assertEqual(sum(line.startswith("failed: ") for line in result.out.splitlines()), 2)

    def test_escape_sequences_in_documents_stay_out_of_the_terminal(self):
        write(self.folder / "esc.md", story("ESC", "Der Uhu \x1b[31mruft\x1b[0m\x07 laut im Wald von Halle.",
                                            title='"Rot \\e[31m Titel"'))
        write(self.folder / "esc.jsonl", json.dumps(
            {"id": "E\u001b[2J", "title": "\u001b]0;x\u0007", "url": "\u009b31m",
             "text": "Der Kauz \u001b[31mruft\u009b0m im Park von Halle."}) + "\n")
        self.ingest(self.home, self.folder, codes=(EXIT_OK, EXIT_PARTIAL))
        for arguments in (("ask", "Wo ruft der Uhu?"), ("ask", "Wo ruft der Kauz?"),
                          ("search", "Uhu und Kauz"), ("search", "--format", "trec", "Uhu und Kauz"),
                          ("trace",), ("explain", "Uhu ruft")):
            with self.subTest(arguments):
                self.assert_no_controls(self.assert_code(self.home.run(*arguments), EXIT_OK))


if __name__ == "__main__":
    bp.main()
