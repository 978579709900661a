"""Runs the beleg program for end-to-end tests, in homes that are made for one test file and removed after.

Environment:
  BELEG_BINARY     the program; needed
  BELEG_SOURCE     root of the source tree; found from this file where unset
  BELEG_MODELS     folder of installed models; else $BELEG_HOME/models, ~/.local/share/beleg/models
  BELEG_TEST_DATA  outside data; else ../shared/data beside the source tree
  BELEG_TEST_ALL   1: larger samples
  BELEG_FAULT_LAYER  the library of tests/crash; else where the build of the program has it

A test file that lacks what it needs prints one line that begins with SKIP and ends with exit code 77.
"""

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SKIP_EXIT_CODE = 77
SOURCE = Path(os.environ.get("BELEG_SOURCE") or Path(__file__).resolve().parents[2])
NEWSROOM = SOURCE / "examples" / "newsroom"
QUESTIONS = SOURCE / "examples" / "questions" / "newsroom.jsonl"
ENCODER = "multilingual-e5-small"
# The day that counts as today: with the real one, receipts of one test could be of two days.
NOW = "2025-12-31"
ALZHEIMER = ("An welchen Medikamenten zur Behandlung von Alzheimer wird derzeit geforscht, "
             "und wie wirken sie im Gehirn?")

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_PARTIAL = 0, 1, 2, 3


def binary():
    return os.environ.get("BELEG_BINARY", "")


def models_folder():
    """The folder of the installed models, or None."""
    candidates = [os.environ.get("BELEG_MODELS")]
    if os.environ.get("BELEG_HOME"):
        candidates.append(os.path.join(os.environ["BELEG_HOME"], "models"))
    candidates.append(os.path.expanduser("~/.local/share/beleg/models"))
    for candidate in candidates:
        if candidate and (Path(candidate) / ENCODER).is_dir():
            return Path(candidate).resolve()
    return None


def all_of_it():
    """Are the large samples wanted?"""
    return os.environ.get("BELEG_TEST_ALL") == "1"


def spread(items, count, seed):
    """About `count` of the items, one by chance out of each of as many equal stretches; all of
    them with BELEG_TEST_ALL=1."""
    items = list(items)
    if all_of_it() or count >= len(items):
        return items
    draw = random.Random(seed)
    edges = [len(items) * i // count for i in range(count + 1)]
    return [items[draw.randrange(a, b)] for a, b in zip(edges, edges[1:])]


def data_folder(name):
    """A folder of the outside test data, or None."""
    root = Path(os.environ.get("BELEG_TEST_DATA") or SOURCE.parent / "shared" / "data")
    return root / name if (root / name).is_dir() else None


def skip_file(reason):
    """Ends the whole test file as skipped."""
    print("SKIP " + os.path.basename(sys.argv[0]) + ": " + reason, flush=True)
    sys.exit(SKIP_EXIT_CODE)


class Result:
    """What one run of the program did. `max_rss` is its peak memory in bytes, of it alone."""

    def __init__(self, arguments, code, out, err, usage, seconds):
        self.arguments = arguments
        self.code = code
        self.out_bytes = out
        self.err_bytes = err
        self.max_rss = usage.ru_maxrss * 1024
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.seconds = seconds

    @property
    def out(self):
        return self.out_bytes.decode("utf-8")

    @property
    def err(self):
        return self.err_bytes.decode("utf-8")

    def json(self):
        return json.loads(self.out)

    def json_lines(self):
        return [json.loads(line) for line in self.out_bytes.split(b"\n") if line]

    def __str__(self):
        return (f"{self.arguments!r}\n  exit code {self.code}\n"
                f"  stdout: {self.out_bytes[-2000:]!r}\n  stderr: {self.err_bytes[-2000:]!r}")


def _environment(home):
    kept = ("PATH", "LD_LIBRARY_PATH", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment.update(HOME=str(home), BELEG_HOME=str(home), LANG="C.UTF-8", LC_ALL="C.UTF-8")
    return environment


class Running:
    """The program at work, its output in files, so that no full pipe ever stops it."""

    def __init__(self, home, arguments, prefix=(), limits=None, environment=None):
        self.arguments = [os.fspath(a) for a in arguments]
        self.out_file = tempfile.TemporaryFile()
        self.err_file = tempfile.TemporaryFile()
        self.started = time.monotonic()

        def set_limits():
            # A write beyond RLIMIT_FSIZE then fails as on a full disk, instead of ending the process.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            for kind, value in (limits or {}).items():
                resource.setrlimit(kind, (value, value))

        self.process = subprocess.Popen(
            [*prefix, binary(), *self.arguments], stdin=subprocess.DEVNULL, stdout=self.out_file,
            stderr=self.err_file, env={**_environment(home), **(environment or {})},
            preexec_fn=set_limits if limits else None)

    def done(self):
        """The result when it has ended, else None."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid == 0:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.out_file.seek(0)
        self.err_file.seek(0)
        result = Result(self.arguments, self.process.returncode, self.out_file.read(),
                        self.err_file.read(), usage, time.monotonic() - self.started)
        self.out_file.close()
        self.err_file.close()
        return result

    def wait(self, timeout=300):
        deadline = time.monotonic() + timeout
        while True:
            result = self.done()
            if result is not None:
                return result
            if time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"{self.arguments!r} did not end within {timeout} s")
            time.sleep(0.002)

    def kill(self):
        """As a power cut would: SIGKILL, then waits for the end."""
        os.kill(self.process.pid, signal.SIGKILL)  # Not reaped yet, so the id is still its own.
        return self.wait()

    def output_so_far(self):
        size = os.fstat(self.out_file.fileno()).st_size
        return os.pread(self.out_file.fileno(), size, 0)


class Home:
    """A fresh home of the program: corpora of its own, the models linked in."""

    def __init__(self, with_models=True):
        self.path = Path(tempfile.mkdtemp(prefix="beleg-test-"))
        if with_models:
            (self.path / "models").symlink_to(models_folder())
        self.prefix = []

    def remove(self):
        for folder, _, _ in os.walk(self.path):
            os.chmod(folder, 0o700)
        shutil.rmtree(self.path)

    def start(self, *arguments, limits=None, environment=None):
        return Running(self.path, arguments, self.prefix, limits, environment)

    def run(self, *arguments, timeout=300, limits=None, environment=None):
        return self.start(*arguments, limits=limits, environment=environment).wait(timeout)

    def folder(self, name):
        """An empty folder for documents, beside the corpora."""
        path = self.path / "documents" / name
        path.mkdir(parents=True)
        return path

    def corpus_folder(self, corpus="default"):
        return self.path / "corpora" / corpus

    def truth(self, query, *values, corpus="default"):
        """Rows of the truth, read with SQLite alone and not through the program."""
        with sqlite3.connect(self.corpus_folder(corpus) / "truth.db", timeout=30) as database:
            rows = database.execute(query, values).fetchall()
        database.close()
        return rows

    def text_of_version(self, version, corpus="default"):
        rows = self.truth("SELECT text FROM content WHERE version = ?", version, corpus=corpus)
        return rows[0][0] if rows else None

    def metadata_of(self, external_id, corpus="default"):
        rows = self.truth(
            "SELECT content.meta FROM content JOIN version ON version.id = content.version "
            "JOIN document ON document.id = version.document "
            "WHERE document.external_id = ? AND version.to_generation IS NULL",
            external_id, corpus=corpus)
        return json.loads(rows[0][0]) if rows else None

    def index_folder(self, corpus="default"):
        """The derived index of the current generation."""
        number = self.truth("SELECT current_generation FROM corpus", corpus=corpus)[0][0]
        return self.corpus_folder(corpus) / "index" / str(number)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(text, bytes):
        path.write_bytes(text)
    else:
        path.write_text(text, encoding="utf-8")
    return path


def story(number, text, **fields):
    """A Markdown document with front matter."""
    head = "".join(f"{key}: {value}\n" for key, value in
                   {"id": number, "title": f"Meldung {number}", **fields}.items())
    return f"---\n{head}---\n\n{text}\n"


def newsroom_questions():
    with open(QUESTIONS, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def newsroom_files():
    """Story id → file, in the order of the ids."""
    files = {}
    for path in sorted(NEWSROOM.rglob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("id:"):
                files[line[3:].strip()] = path
                break
    return dict(sorted(files.items()))


def copy_stories(target, ids):
    """Some sample stories, as flat files named by id."""
    files = newsroom_files()
    for story_id in ids:
        shutil.copy(files[story_id], target / (story_id + ".md"))


def permission_prefix():
    """What to put before the program so that file permissions hold: root alone would ignore them.

    None where that cannot be done."""
    with tempfile.NamedTemporaryFile() as probe:
        os.chmod(probe.name, 0)
        prefixes = ([], ["setpriv", "--bounding-set=-dac_override,-dac_read_search"])
        for prefix in prefixes:
            if prefix and not shutil.which(prefix[0]):
                continue
            read = subprocess.run([*prefix, "cat", probe.name], capture_output=True, check=False)
            if read.returncode != 0 and b"ermission" in read.stderr:
                return prefix
    return None


class ProgramTest(unittest.TestCase):
    """Assertions on runs of the program."""

    maxDiff = 2000

    def assert_code(self, result, *codes):
        self.assertIn(result.code, codes, str(result))
        return result

    def assert_all_well(self, home, corpus="default"):
        """Audit agrees, and what it counts agrees with itself and with the truth."""
        result = home.run("audit", "--json", "--corpus", corpus)
        self.assertEqual(result.code, EXIT_OK, str(result))
        audit = result.json()
        self.assertTrue(audit["ok"], audit)
        self.assertEqual(audit["findings"], [])
        self.assertEqual(audit["orphans"], 0, audit)
        self.assertEqual(audit["documents"], audit["versions"], audit)
        for count in ("index_rows", "lexical_entries", "vectors", "token_entries"):
            self.assertEqual(audit[count], audit["passages"], audit)
        # What a later generation ended, one that was never committed or was undone, is still there.
        heads = home.truth("SELECT count(*) FROM version, corpus "
                           "WHERE from_generation <= current_generation "
                           "AND (to_generation IS NULL OR to_generation > current_generation)",
                           corpus=corpus)[0][0]
        self.assertEqual(audit["documents"], heads, audit)
        return audit

    def assert_one_complaint(self, result, *parts):
        """One line on standard error, without control characters, that names `parts`."""
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 1, str(result))
        self.assertTrue(lines[0].startswith("beleg: "), lines[0])
        for part in parts:
            self.assertIn(part, lines[0])
        self.assert_no_controls(result)

    def assert_no_controls(self, result):
        """Nothing a terminal would act on, and valid UTF-8."""
        for stream in (result.out, result.err):
            bad = [c for c in stream if (ord(c) < 0x20 and c != "\n") or 0x7f <= ord(c) < 0xa0]
            self.assertEqual(bad, [], str(result))

    def ingest(self, home, *arguments, codes=(EXIT_OK,), timeout=300):
        """Ingests with --json. Returns the lines by file name, and the summary."""
        result = home.run("ingest", "--json", "--quiet", *arguments, timeout=timeout)
        self.assertIn(result.code, codes, str(result))
        *files, last = result.json_lines()
        self.assertEqual(list(last), ["summary"], str(result))
        by_name = {}
        for line in files:
            name = os.path.basename(line["path"])
            # A record that is gone from a file that is still there has a line of its own.
            if name in by_name and line["outcome"] == "removed":
                continue
            self.assertNotIn(name, by_name, f"two lines for one file: {result}")
            by_name[name] = line
        return by_name, last["summary"]

    def ask(self, home, question, *arguments, codes=(EXIT_OK,)):
        result = home.run("ask", "--json", "--now", NOW, *arguments, question)
        self.assertIn(result.code, codes, str(result))
        return result.json()

    def found(self, home, question, *arguments):
        """External ids of the documents that search finds, best first."""
        result = home.run("search", "--json", "--unit", "document", *arguments, question)
        self.assertEqual(result.code, EXIT_OK, str(result))
        return [line["document"] for line in result.json_lines()]

    def citations(self, receipt):
        return [c for statement in receipt["statements"] for c in statement["citations"]]

    def assert_quotes_hold(self, home, receipt, corpus="default"):
        """Every citation against the text that SQLite gives, in code points, and its hash."""
        for citation in self.citations(receipt):
            text = home.text_of_version(citation["version"], corpus)
            self.assertIsNotNone(text, citation)
            self.assertLess(citation["start"], citation["end"], citation)
            self.assertEqual(text[citation["start"]:citation["end"]], citation["quote"], citation)
            self.assertEqual(hashlib.sha256(citation["quote"].encode("utf-8")).hexdigest(),
                             citation["quote_sha256"], citation)


def main(needs_models=True):
    """Runs the tests of the calling file."""
    if not binary() or not os.access(binary(), os.X_OK):
        print("beleg_program: set BELEG_BINARY to the program", file=sys.stderr)
        sys.exit(2)
    if needs_models and models_folder() is None:
        skip_file(f"the model {ENCODER} is not installed (`beleg models fetch` installs it)")
    unittest.main(verbosity=2)
