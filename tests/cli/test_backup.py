"""Backup and restore: a file from a corpus at work answers elsewhere with the same receipts."""

import hashlib
import json
import sqlite3
import struct
import sys
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_PARTIAL, story, write  # noqa: E402

QUESTION = "Ist Lecanemab in der EU zugelassen?"
STORIES = ["N-2025-0416", "N-2025-0901", "N-2024-0726", "N-2024-1114"]


def parse(path):
    """A backup read by its documented layout: parts by name, with their bytes."""
    raw = path.read_bytes()
    magic, form, zero, offset, size, digest = struct.unpack("<8sIIQQ32s", raw[:64])
    assert (magic, form, zero) == (b"BELEGBAK", 1, 0)
    text = raw[offset:offset + size]
    assert hashlib.sha256(text).digest() == digest
    manifest = json.loads(text)
    parts = {}
    for part in manifest["parts"]:
        assert part["offset"] % 64 == 0
        parts[part["name"]] = raw[part["offset"]:part["offset"] + part["size"]]
        assert hashlib.sha256(parts[part["name"]]).hexdigest() == part["sha256"]
    return manifest, parts


class BackupTest(bp.ProgramTest):
    def setUp(self):
        self.home = bp.Home()
        self.other = bp.Home()
        self.addCleanup(self.home.remove)
        self.addCleanup(self.other.remove)
        self.documents = self.home.folder("artikel")
        bp.copy_stories(self.documents, STORIES)
        self.ingest(self.home, self.documents)
        self.file = self.home.path / "sicherung.beleg"

    def backup(self):
        return self.assert_code(self.home.run("backup", self.file, "--json"), EXIT_OK).json()

    def test_a_restored_corpus_answers_the_same(self):
        first = self.ask(self.home, QUESTION)
        (self.documents / "N-2024-1114.md").unlink()
        self.ingest(self.home, self.documents)
        self.assert_code(self.home.run("corpus", "tag", "druck", "1"), EXIT_OK)
        second = self.ask(self.home, QUESTION)
        saved = self.backup()
        self.assertEqual((saved["generation"], saved["documents"]), (2, 3))
        self.assertEqual(saved["missing_embeddings"], 0)
        manifest, parts = parse(self.file)
        self.assertEqual(sorted(parts), ["embeddings.pack", "truth.db"])
        self.assertEqual(manifest["corpus"], "default")

        restored = self.assert_code(self.other.run("restore", self.file, "--json"), EXIT_OK).json()
        self.assertEqual((restored["generation"], restored["documents"]), (2, 3))
        self.assert_all_well(self.other)
        self.assertEqual(self.ask(self.other, QUESTION)["receipt_sha256"], second["receipt_sha256"])
        self.assertEqual(self.ask(self.other, QUESTION, "--generation", "druck")["receipt_sha256"],
                         first["receipt_sha256"])
        # It is a corpus like any other: ingest, roll back.
        _, summary = self.ingest(self.other, self.documents)
        self.assertIsNone(summary["generation"])
        self.assert_code(self.other.run("corpus", "tag", "--delete", "druck"), EXIT_OK)
        self.assert_code(self.other.run("rollback"), EXIT_OK)
        self.assertEqual(self.ask(self.other, QUESTION)["receipt_sha256"], first["receipt_sha256"])
        self.assert_all_well(self.other)

    def test_backups_during_ingests_are_whole(self):
        expected = {1: self.ask(self.home, QUESTION)["receipt_sha256"]}
        backups = []
        for turn in range(4):
            for number in range(40):
                write(self.documents / f"l-{number}.md",
                      story(f"L-{number}", f"Fassung {turn} der Meldung {number} aus Halle."))
            running = self.home.start("ingest", "--json", "--quiet", self.documents)
            result = None
            while result is None:
                path = self.home.path / f"b{len(backups)}.beleg"
                saved = self.assert_code(self.home.run("backup", path, "--json"), EXIT_OK).json()
                backups.append((path, saved["generation"]))
                result = running.done()
            self.assert_code(result, EXIT_OK)
            receipt = self.ask(self.home, QUESTION)
            expected[receipt["generation"]] = receipt["receipt_sha256"]
        for path, generation in backups[:1] + backups[-6:]:
            self.assert_code(self.other.run("restore", path, "--force"), EXIT_OK)
            receipt = self.ask(self.other, QUESTION)
            self.assertEqual((receipt["generation"], receipt["receipt_sha256"]),
                             (generation, expected[generation]))
            self.assert_all_well(self.other)
            rows = self.other.truth("SELECT count(*) FROM generation WHERE state = 'building'")
            self.assertEqual(rows, [(0,)])
        self.assert_all_well(self.home)
        print(f"  {len(backups)} backups during ingests of generations "
              f"{sorted({g for _, g in backups})}", flush=True)

    def test_every_damage_is_named_and_nothing_is_touched(self):
        self.backup()
        raw = self.file.read_bytes()
        manifest, _ = parse(self.file)
        parts = {part["name"]: part for part in manifest["parts"]}
        manifest_offset = struct.unpack("<Q", raw[16:24])[0]

        def flipped(at):
            return raw[:at] + bytes([raw[at] ^ 0x10]) + raw[at + 1:]

        cases = [
            (flipped(parts["truth.db"]["offset"] + 9000), "truth.db is damaged"),
            (flipped(parts["embeddings.pack"]["offset"] + 70), "embeddings.pack is damaged"),
            (flipped(manifest_offset + 5), "manifest is damaged"),
            (flipped(3), "not a backup of Beleg"),
            (flipped(20), "manifest is"),
            (raw[:len(raw) // 2], "cut off"),
            (raw[:40], "not a backup of Beleg"),
            (raw + b"mehr", "bytes follow"),
            (b"", "not a backup of Beleg"),
        ]
        bad = self.home.path / "kaputt.beleg"
        for content, part in cases:
            bad.write_bytes(content)
            result = self.other.run("restore", bad)
            self.assert_code(result, EXIT_FAILED)
            self.assert_one_complaint(result, "kaputt.beleg", part)
        self.assertFalse((self.other.path / "corpora").exists())
        # Nor does a damaged one replace a good corpus, even when told to.
        before = self.ask(self.home, QUESTION)["receipt_sha256"]
        self.assert_code(self.home.run("restore", bad, "--force"), EXIT_FAILED)
        self.assertEqual(self.ask(self.home, QUESTION)["receipt_sha256"], before)

    def test_a_damaged_receipt_is_named_and_does_not_keep_the_corpus_from_coming_back(self):
        answer = self.ask(self.home, QUESTION)
        with closing(sqlite3.connect(self.home.corpus_folder() / "truth.db")) as database:
            database.execute("UPDATE receipt SET json = replace(json, '\"answer\"', '\"Antwort\"')")
            database.commit()
        self.backup()
        result = self.assert_code(self.other.run("restore", self.file, "--json"), EXIT_PARTIAL)
        self.assertEqual(len(result.json()["findings"]), 1)
        self.assertIn(answer["receipt_sha256"], result.json()["findings"][0])
        self.assertEqual(self.ask(self.other, QUESTION)["answer"], answer["answer"])

    def test_a_backup_replaces_nothing_but_a_backup(self):
        note = write(self.home.path / "notiz.txt", "wichtig")
        link = self.home.path / "verweis.beleg"
        link.symlink_to(note)
        corpus = self.home.corpus_folder()
        for target in (note, link, "/dev/null", corpus / "truth.db", corpus / "neu.beleg", self.home.path / "fehlt" / ""):
            name = str(target) + ("/" if target == self.home.path / "fehlt" else "")
            before = (corpus / "truth.db").stat().st_ino
            result = self.home.run("backup", name)
            self.assertNotEqual(result.code, EXIT_OK, str(result))
            self.assert_one_complaint(result)
            self.assertEqual((corpus / "truth.db").stat().st_ino, before)
        self.assertEqual(note.read_text(), "wichtig")
        self.assertTrue(Path("/dev/null").is_char_device())
        self.assertFalse((self.home.path / "fehlt").exists())
        self.assert_all_well(self.home)
        self.backup()
        self.backup()

    def test_what_is_damaged_is_said_when_it_is_saved(self):
        pack = self.home.corpus_folder() / "embeddings.pack"
        raw = bytearray(pack.read_bytes())
        raw[len(raw) // 2] ^= 1
        pack.write_bytes(raw)
        result = self.assert_code(self.home.run("backup", self.file, "--json"), EXIT_PARTIAL)
        self.assertEqual(result.json()["missing_embeddings"], 1)
        restored = self.assert_code(self.other.run("restore", self.file), EXIT_PARTIAL)
        self.assertNotIn("all well", restored.out.replace("not all well", ""))
        with closing(sqlite3.connect(self.home.corpus_folder() / "truth.db")) as database:
            database.execute("UPDATE content SET text = text || 'z' WHERE version = 2")
            database.commit()
        result = self.assert_code(self.home.run("backup", self.file, "--json"), EXIT_PARTIAL)
        self.assertTrue(any("version 2" in f for f in result.json()["findings"]), result.out)

    def test_an_existing_corpus_is_replaced_only_when_told_to(self):
        self.backup()
        write(self.documents / "neu.md", story("NEU", "Ein neuer Text aus Suhl."))
        self.ingest(self.home, self.documents)
        refused = self.home.run("restore", self.file)
        self.assert_code(refused, EXIT_FAILED)
        self.assert_one_complaint(refused, "exists", "--force")
        self.assertEqual(self.assert_all_well(self.home)["documents"], 5)
        self.assert_code(self.home.run("restore", self.file, "--corpus", "zweiter"), EXIT_OK)
        self.assertEqual(self.assert_all_well(self.home, "zweiter")["documents"], 4)
        self.assert_code(self.home.run("restore", self.file, "--force"), EXIT_OK)
        self.assertEqual(self.assert_all_well(self.home)["documents"], 4)
        self.assertEqual([line["name"] for line in self.home.run("corpus", "list", "--json").json()],
                         ["default", "zweiter"])
        left = [path.name for path in (self.home.path / "corpora").iterdir()]
        self.assertEqual(sorted(left), [".restore.lock", "default", "zweiter"])

    def test_into_a_folder_and_over_an_old_one(self):
        folder = self.home.folder("sicherungen")
        saved = self.assert_code(self.home.run("backup", folder, "--json"), EXIT_OK).json()
        self.assertEqual([str(path) for path in folder.iterdir()], [saved["file"]])
        self.assertRegex(Path(saved["file"]).name, r"^default-\d{8}T\d{6}Z\.beleg$")
        self.backup()
        self.backup()
        self.assert_code(self.other.run("restore", self.file), EXIT_OK)
        self.assertEqual([p.name for p in self.home.path.glob("*.beleg*")], ["sicherung.beleg"])
        nowhere = self.home.run("backup", self.home.path / "none" / "x.beleg", "--corpus", "none")
        self.assert_code(nowhere, EXIT_FAILED)
        self.assert_one_complaint(nowhere, "no corpus at")

    def test_a_purged_corpus_has_nothing_purged_in_its_backup(self):
        write(self.documents / "s.md", story("S", "Geheim: Der Kassenwart heißt Balthasar Zwirn."))
        self.ingest(self.home, self.documents)
        (self.documents / "s.md").unlink()
        self.ingest(self.home, self.documents)
        self.backup()
        self.assertIn(b"Balthasar", self.file.read_bytes())
        self.assert_code(self.home.run("corpus", "purge", "--yes"), EXIT_OK)
        self.backup()
        self.assertNotIn(b"Balthasar", self.file.read_bytes())
        self.assert_code(self.other.run("restore", self.file), EXIT_OK)
        self.assertEqual(self.assert_all_well(self.other)["documents"], 4)


if __name__ == "__main__":
    bp.main()
