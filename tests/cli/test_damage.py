"""Damaged files: what can be made again is made again, the rest is named; never a wrong answer."""

import os
import random
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_PARTIAL, EXIT_USAGE, NOW, story, write  # noqa: E402

QUESTION = "Ist Lecanemab in der EU zugelassen?"
STORIES = ["N-2025-0416", "N-2025-0901", "N-2024-0726", "N-2024-1114", "N-2024-0821", "E-2025-0519",
           "N-2025-0107", "N-2022-1130"]
INDEX_FILES = {"manifest.idx"} | {f"segment.0/{name}.idx" for name in ("rows", "lexical", "dense", "tokens")}


def setUpModule():
    global home, documents, pristine, expected
    home = bp.Home()
    documents = home.folder("pool")
    bp.copy_stories(documents, STORIES)
    case = bp.ProgramTest()
    case.ingest(home, documents)
    expected = case.ask(home, QUESTION)
    pristine = home.path / "pristine"
    shutil.copytree(home.corpus_folder(), pristine)


def tearDownModule():
    home.remove()


def flip(path, position, bits=0xff):
    with open(path, "r+b") as file:
        file.seek(position)
        byte = file.read(1)[0]
        file.seek(position)
        file.write(bytes([byte ^ bits]))


def places_in(path, draw):
    """What is where in a derived file: (name, a byte of it), for header, table and every section
    (docs/formats/rows.md, "Container")."""
    content = path.read_bytes()
    sections = struct.unpack_from("<I", content, 12)[0]
    places = [("header", 16), ("header", 56), ("table", 64 + draw.randrange(32 * sections))]
    for i in range(sections):
        kind, part, offset, size, _ = struct.unpack_from("<IIQQQ", content, 64 + 32 * i)
        if size > 0:
            places.append((f"section {kind}.{part}", offset + draw.randrange(size)))
    return places


def record_headers(content):
    """Where the records of a pack begin (docs/formats/embedding-pack.md)."""
    at, records = 64, []
    while at < len(content):
        assert content[at:at + 4] == b"BREC", at
        records.append(at)
        at += 64 + (struct.unpack_from("<I", content, at + 40)[0] + 63) // 64 * 64
    return records


class DamageTest(bp.ProgramTest):
    def setUp(self):
        shutil.rmtree(home.corpus_folder())
        shutil.copytree(pristine, home.corpus_folder())

    def assert_audit_complains(self, *parts):
        result = self.assert_code(home.run("audit", "--json"), EXIT_FAILED)
        audit = result.json()
        self.assertFalse(audit["ok"])
        for part in parts:
            self.assertIn(part, " ".join(audit["findings"]))
        return audit["findings"]

    def assert_answer_is_right(self, *codes):
        receipt = self.ask(home, QUESTION, codes=codes or (EXIT_OK, EXIT_PARTIAL))
        self.assertEqual(receipt["answer"], expected["answer"])
        self.assertEqual(receipt["statements"], expected["statements"])
        return receipt

    def assert_rebuilt(self):
        """The next question rebuilds the index, says so once, and answers as before."""
        self.assertTrue(self.assert_answer_is_right(EXIT_PARTIAL)["degraded"])
        after = self.assert_answer_is_right(EXIT_OK)
        self.assertEqual(after["receipt_sha256"], expected["receipt_sha256"])
        self.assert_all_well(home)

    def test_index_files_are_the_documented_ones(self):
        folder = home.index_folder()
        self.assertEqual({str(p.relative_to(folder)) for p in folder.rglob("*.idx")}, INDEX_FILES)

    def test_deleted_index(self):
        shutil.rmtree(home.corpus_folder() / "index")
        self.assert_audit_complains()
        doctor = self.assert_code(home.run("doctor"), EXIT_FAILED)
        self.assertIn("FAIL", doctor.out)
        self.assert_rebuilt()

    def test_deleted_index_files(self):
        for name in sorted(INDEX_FILES):
            with self.subTest(name):
                self.setUp()
                (home.index_folder() / name).unlink()
                self.assert_audit_complains(name)
                self.assert_rebuilt()

    def test_truncated_index_files(self):
        for name in sorted(INDEX_FILES):
            for keep in (0, 0.99):
                with self.subTest(f"{name} {keep}"):
                    self.setUp()
                    path = home.index_folder() / name
                    os.truncate(path, int(path.stat().st_size * keep))
                    self.assert_audit_complains(name)
                    self.assert_rebuilt()

    def test_flipped_bits_in_every_part_of_the_index(self):
        """One bit anywhere is noticed; questions, which cost more, are asked for a sample."""
        draw = random.Random(3)
        flips = [(name, what, position) for name in sorted(INDEX_FILES)
                 for what, position in places_in(home.index_folder() / name, draw)]
        asked = bp.spread(flips, 8, seed=31)
        for name, what, position in flips:
            with self.subTest(f"{name}, {what}, byte {position}"):
                self.setUp()
                flip(home.index_folder() / name, position, 1 << draw.randrange(8))
                # What points into the pack may show as a pack that does not fit.
                self.assertRegex(" ".join(self.assert_audit_complains()), name + "|embeddings.pack has")
                if (name, what, position) in asked:
                    self.assert_rebuilt()
        print(f"  {len(flips)} places, asked after {len(asked)}", flush=True)

    def test_flipped_bits_in_the_pack(self):
        """In the header of the file, in that of a record, in a payload and between records."""
        path = home.corpus_folder() / "embeddings.pack"
        content = path.read_bytes()
        records = record_headers(content)
        draw = random.Random(37)
        places = [("file header", position) for position in (3, 20, 60)]
        for record in draw.sample(records, 3):
            places += [("record header", record + position) for position in (1, 9, 41, 50, 60)]
            places.append(("payload", record + 64 + draw.randrange(4096)))
        asked = bp.spread(places, 5, seed=41)
        for what, position in places:
            with self.subTest(f"{what}, byte {position}"):
                self.setUp()
                flip(path, position, 1 << draw.randrange(8))
                self.assert_audit_complains()
                if (what, position) not in asked:
                    continue
                self.assert_right_or_refused()
                self.ingest(home, documents)
                self.assert_all_well(home)
                self.assert_answer_is_right(EXIT_OK, EXIT_PARTIAL)

    def test_flipped_bits_in_the_directory_of_the_pack(self):
        """It only makes opening fast: whatever it says, what it names is looked at."""
        path = home.corpus_folder() / "embeddings.idx"
        draw = random.Random(43)
        size = path.stat().st_size
        for position in (2, 20, 60, 64 + 3, 64 + 41, 64 + 57, *(draw.randrange(64, size) for _ in range(6))):
            with self.subTest(position):
                self.setUp()
                flip(path, position, 1 << draw.randrange(8))
                self.assert_all_well(home)
        self.assertEqual(self.assert_answer_is_right(EXIT_OK)["receipt_sha256"],
                         expected["receipt_sha256"])
        self.ingest(home, documents)
        self.assert_all_well(home)

    def assert_right_or_refused(self):
        """The question is answered as ever, or not at all and with a reason."""
        result = self.assert_code(home.run("ask", "--json", "--now", NOW, QUESTION),
                                  EXIT_OK, EXIT_PARTIAL, EXIT_FAILED)
        if result.code == EXIT_FAILED:
            self.assert_one_complaint(result)
        elif result.code == EXIT_OK:
            self.assertEqual(result.json()["receipt_sha256"], expected["receipt_sha256"])
        else:
            self.assertTrue(result.json()["degraded"])
        return result

    def test_an_index_of_another_generation_is_found(self):
        write(documents / "neu.md", story("NEU", "Der Igel frisst Käfer."))
        self.addCleanup((documents / "neu.md").unlink)
        self.ingest(home, documents)
        for name in INDEX_FILES:
            shutil.copy(pristine / "index" / "1" / name, home.index_folder() / name)
        self.assert_audit_complains("passages but")

    def test_truncated_embeddings_are_healed_by_the_next_ingest(self):
        for keep in (0.5, 0.0):
            with self.subTest(keep):
                self.setUp()
                path = home.corpus_folder() / "embeddings.pack"
                os.truncate(path, int(path.stat().st_size * keep))
                self.assert_audit_complains()
                result = home.run("ask", "--json", "--now", NOW, QUESTION)
                self.assert_code(result, EXIT_OK, EXIT_PARTIAL, EXIT_FAILED)
                if result.code == EXIT_FAILED:
                    self.assert_one_complaint(result, "beleg ingest")
                else:
                    self.assertEqual(result.json()["statements"], expected["statements"])
                self.ingest(home, documents)
                self.assert_all_well(home)
                self.assert_answer_is_right(EXIT_OK, EXIT_PARTIAL)

    def test_deleted_embeddings_are_healed_by_the_next_ingest(self):
        (home.corpus_folder() / "embeddings.pack").unlink()
        (home.corpus_folder() / "embeddings.idx").unlink()
        self.assert_audit_complains()
        self.ingest(home, documents)
        self.assert_all_well(home)
        self.assert_answer_is_right(EXIT_OK, EXIT_PARTIAL)

    def test_flipped_bytes_in_the_embeddings(self):
        path = home.corpus_folder() / "embeddings.pack"
        size = path.stat().st_size
        for position in (200, size // 3, size - 20):
            with self.subTest(position):
                self.setUp()
                flip(path, position)
                self.assert_audit_complains()
                self.assert_right_or_refused()
                self.ingest(home, documents)  # Encodes again what is damaged.
                self.assert_answer_is_right(EXIT_OK, EXIT_PARTIAL)

    def test_deleted_embedding_directory_is_made_again(self):
        (home.corpus_folder() / "embeddings.idx").unlink()
        self.assert_answer_is_right()
        write(documents / "neu.md", story("NEU", "Der Igel frisst Käfer."))
        self.addCleanup((documents / "neu.md").unlink)
        _, summary = self.ingest(home, documents)
        self.assertEqual(summary["encoded"], 1)
        self.assert_all_well(home)

    def test_changed_truth_is_found(self):
        version = expected["statements"][0]["citations"][0]["version"]
        with sqlite3.connect(home.corpus_folder() / "truth.db") as database:
            database.execute("UPDATE content SET text = replace(text, 'zugelassen', 'verboten__') "
                             "WHERE version = ?", (version,))
        database.close()
        findings = self.assert_audit_complains()
        self.assertIn("hash", " ".join(findings))
        self.assert_code(home.run("verify", expected["receipt_sha256"]), EXIT_FAILED)

    def test_columns_that_disagree_with_what_is_hashed(self):
        """Spans, headings, ids and copies of metadata that were altered behind the program's back."""
        self.ask(home, QUESTION)
        for change in ("UPDATE passage SET start_code_point = start_code_point + 1, start_byte = start_byte + 1 "
                       "WHERE ordinal = 0",
                       "UPDATE passage SET heading_path = '[\"Falsch\"]'",
                       "UPDATE document SET external_id = 'FALSCH' || id",
                       "UPDATE version SET story = 'falsch'",
                       "UPDATE version SET published = 5",
                       "UPDATE version SET language = 'xx'",
                       "UPDATE passage SET embedding_key = (SELECT p.embedding_key FROM passage p WHERE p.ordinal = 1 LIMIT 1) "
                       "WHERE ordinal = 0"):
            saved = (home.corpus_folder() / "truth.db").read_bytes()
            with sqlite3.connect(home.corpus_folder() / "truth.db") as database:
                database.execute(change)
            database.close()
            self.assertTrue(self.assert_audit_complains(), change)
            for left in ("truth.db-wal", "truth.db-shm"):
                (home.corpus_folder() / left).unlink(missing_ok=True)
            (home.corpus_folder() / "truth.db").write_bytes(saved)
        self.assert_all_well(home)

    def test_altered_answers_are_seen_and_given_anew(self):
        answer = self.ask(home, QUESTION)
        with sqlite3.connect(home.corpus_folder() / "truth.db") as database:
            database.execute("UPDATE receipt SET json = replace(json, '\"answer\"', '\"Antwort\"')")
            database.execute("UPDATE trace SET json = json_set(json, '$.receipt.answer', 'gelogen')")
        database.close()
        replayed = self.assert_code(home.run("replay", "last"), EXIT_FAILED)
        self.assertIn("altered", replayed.err)
        self.assertEqual(self.ask(home, QUESTION)["receipt_sha256"], answer["receipt_sha256"])
        self.assert_code(home.run("verify", answer["receipt_sha256"]), EXIT_OK)
        for place, value in (("$.question", 5), ("$.steps", 5), ("$.id", 7)):
            with sqlite3.connect(home.corpus_folder() / "truth.db") as database:
                database.execute("UPDATE trace SET json = json_set(json, ?, ?)", (place, value))
            database.close()
            result = self.assert_code(home.run("trace", "last"), EXIT_FAILED)
            self.assert_one_complaint(result, "form of a trace")
            self.assertEqual(result.out, "")

    def test_every_damage_of_the_truth_is_listed(self):
        self.ask(home, QUESTION)
        versions = [v for v, in home.truth("SELECT id FROM version ORDER BY id")]
        passage = home.truth("SELECT id FROM passage WHERE version = ?", versions[2])[0][0]
        receipt = home.truth("SELECT sha256 FROM receipt")[0][0]
        trace = home.truth("SELECT id FROM trace ORDER BY sequence DESC")[0][0]
        with sqlite3.connect(home.corpus_folder() / "truth.db") as database:
            for version in versions[:2]:
                database.execute("UPDATE content SET blocks = '[7]' WHERE version = ?", (version,))
            database.execute("UPDATE content SET meta = '{' WHERE version = ?", (versions[1],))
            database.execute("UPDATE passage SET heading_path = 'x' WHERE id = ?", (passage,))
            database.execute("UPDATE receipt SET json = replace(json, '\"answer\"', '\"Antwort\"') "
                             "WHERE sha256 = ?", (receipt,))
            database.execute("UPDATE trace SET json = substr(json, 1, 100) WHERE id = ?", (trace,))
        database.close()
        (home.corpus_folder() / "embeddings.pack").unlink()
        findings = self.assert_audit_complains()
        for part in (f"version {versions[0]}: blocks: ", f"version {versions[1]}: blocks: ",
                     f"version {versions[1]}: metadata: ",
                     f"version {versions[2]}: passage {passage}: heading path: ",
                     f"receipt {receipt} is damaged: ", f"trace {trace} is damaged: ", "embeddings.pack"):
            self.assertTrue(any(part in finding for finding in findings), (part, findings))

    def test_a_deeply_nested_receipt_is_refused(self):
        path = write(home.path / "tief.json", '{"statements": [], "receipt_sha256": "", "a": '
                     + "[" * 300000 + "]" * 300000 + "}")
        result = self.assert_code(home.run("verify", path), EXIT_USAGE)
        self.assert_one_complaint(result, "tief.json", "is no receipt")

    def test_a_truth_that_is_no_database(self):
        path = home.corpus_folder() / "truth.db"
        for content in (b"", b"kein SQLite " * 1000, b"SQLite format 3\0" + b"\0" * 8176):
            with self.subTest(content[:16]):
                path.write_bytes(content)
                for command in (("ask", "Was?"), ("audit",), ("search", "Was"), ("corpus", "log"),
                                ("ingest", documents)):
                    result = self.assert_code(home.run(*command), EXIT_FAILED)
                    self.assert_one_complaint(result)
                self.assertEqual(path.read_bytes(), content, "a foreign file was overwritten")

    def test_damaged_pages_of_the_truth(self):
        path = home.corpus_folder() / "truth.db"
        draw = random.Random(11)
        for _ in range(6):
            self.setUp()
            # Nine tenths of so small a file are free room, where a flip is no damage.
            for _ in range(400):
                flip(path, draw.randrange(8192, path.stat().st_size), draw.randrange(1, 256))
            self.assert_code(home.run("audit"), EXIT_FAILED)
            self.assert_right_or_refused()

    def test_settings_file(self):
        path = home.path / "beleg.toml"
        self.addCleanup(path.unlink)
        for text, parts in (
                ("[retrieve]\n\ntop_kk = 5\n", ("beleg.toml:3", "retrieve.top_kk", "retrieve.top_k")),
                ("[rerank]\nkeep = \"3\"\n", ("beleg.toml:2", "rerank.keep")),
                ("[rerank]\nkeep = -3\n", ("beleg.toml:2", "rerank.keep")),
                ("[recency]\nweight = 1.5\n", ("beleg.toml:2", "recency.weight")),
                ("[recency]\nkind = \"lunar\"\n", ("beleg.toml:2", "recency.kind")),
                ("[recency\n", ("beleg.toml:1",)),
                ("[rerank]\ncross_encoder = \"x\"\n", ("rerank.cross_encoder",)),
                ("[retrieve]\nlexical = false\ndense = false\nlate = false\n", ("retriever",))):
            with self.subTest(text):
                write(path, text)
                for command in (("ask", "Was?"), ("config",), ("search", "Was")):
                    result = self.assert_code(home.run(*command), EXIT_USAGE)
                    self.assert_one_complaint(result, *parts)
        write(path, "[rerank]\nkeep = 4\n")
        self.assertIn("rerank.keep = 4", self.assert_code(home.run("config"), EXIT_OK).out)
        named = home.run("config", "--config", home.path / "fehlt.toml")
        self.assert_code(named, EXIT_FAILED, EXIT_USAGE)
        self.assert_one_complaint(named, "fehlt.toml")

    def test_init_writes_a_file_that_changes_nothing(self):
        other = bp.Home()
        self.addCleanup(other.remove)
        before = self.assert_code(other.run("config"), EXIT_OK).out
        self.assert_code(other.run("init"), EXIT_OK)
        self.assertEqual(other.run("config").out, before)
        self.assert_code(other.run("init"), EXIT_FAILED)

    def test_read_only_home_still_answers(self):
        prefix = bp.permission_prefix()
        if prefix is None:
            self.skipTest("permissions do not hold for root, and setpriv is not there")
        home.prefix = prefix
        changed = [home.path, *home.corpus_folder().rglob("*"), home.corpus_folder(), home.path / "corpora"]
        for path in changed:
            path.chmod(0o555 if path.is_dir() else 0o444)
        try:
            receipt = self.assert_answer_is_right(EXIT_PARTIAL)
            self.assertIn("record", [entry["step"] for entry in receipt["degraded"]])
            self.assertEqual(home.run("search", QUESTION).code, EXIT_OK)
            self.assertEqual(home.run("audit").code, EXIT_OK)
            result = self.assert_code(home.run("ingest", documents), EXIT_FAILED)
            self.assert_one_complaint(result)
        finally:
            home.prefix = []
            for path in changed:
                path.chmod(0o755 if path.is_dir() else 0o644)
        self.assert_all_well(home)

    def test_full_disk(self):
        write(documents / "gross.jsonl", "".join(
            f'{{"id": "V{i}", "text": "Vogel Nummer {i} singt im Wald von Halle."}}\n' for i in range(60)))
        self.addCleanup((documents / "gross.jsonl").unlink)
        # Limits of a file's size: the first files to grow beyond differ.
        for limit in (1 << 14, 1 << 19, int((home.corpus_folder() / "embeddings.pack").stat().st_size) + 4096):
            with self.subTest(limit):
                self.setUp()
                result = home.run("ingest", "--json", "--quiet", documents,
                                  limits={resource.RLIMIT_FSIZE: limit})
                self.assert_code(result, EXIT_FAILED)
                self.assert_one_complaint(result)
                self.assert_all_well(home)
                self.assertEqual(self.assert_answer_is_right(EXIT_OK)["receipt_sha256"],
                                 expected["receipt_sha256"])
        self.setUp()
        _, summary = self.ingest(home, documents)
        self.assertEqual(summary["added"], 60)

    def test_output_that_nobody_reads(self):
        # A full disk behind standard output must not look like success.
        with open("/dev/full", "wb") as full:
            code = subprocess.run([bp.binary(), "ask", "--json", QUESTION], stdout=full, stderr=subprocess.DEVNULL,
                                  env={**os.environ, "BELEG_HOME": str(home.path)}, check=False).returncode
        self.assertEqual(code, EXIT_FAILED)


if __name__ == "__main__":
    bp.main()
