"""Every command explains itself; completion scripts are valid; wrong usage is one line and exit code 2."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_FAILED, EXIT_OK, EXIT_USAGE  # noqa: E402


class HelpTest(bp.ProgramTest):
    def setUp(self):
        self.home = bp.Home(with_models=False)
        self.addCleanup(self.home.remove)

    def commands(self):
        result = self.assert_code(self.home.run("--help"), EXIT_OK)
        names = re.findall(r"^  ([a-z]+) {2,}\S", result.out, re.MULTILINE)
        self.assertGreater(len(names), 12, result.out)
        return names

    def test_every_command_has_help_with_an_example(self):
        for name in self.commands():
            with self.subTest(name):
                result = self.assert_code(self.home.run(name, "--help"), EXIT_OK)
                self.assertIn("Example:\n  beleg " + name, result.out)
                for option in ("--home", "--corpus", "--config", "--set", "--json"):
                    self.assertIn(option, result.out)

    def test_every_command_is_in_the_reference(self):
        page = bp.SOURCE / "docs" / "reference" / "cli.md"
        self.assertTrue(page.is_file(), "docs/reference/cli.md is missing")
        text = page.read_text(encoding="utf-8")
        for name in self.commands():
            with self.subTest(name):
                self.assertRegex(text, rf"(?m)^## {name}\b")
                options = set(re.findall(r"--[a-z-]+", self.home.run(name, "--help").out))
                self.assertEqual([o for o in sorted(options) if o not in text], [], "options that it leaves out")

    def test_version(self):
        self.assertRegex(self.assert_code(self.home.run("--version"), EXIT_OK).out, r"^beleg \d+\.\d+\.\d+\n$")

    def test_wrong_usage(self):
        for arguments in ((), ("unbekannt",), ("ask",), ("ask", "--unbekannt", "Was?"), ("config", "x"),
                          ("corpus", "x"), ("completion", "x"), ("eval",), ("config", "--set", "ohne-wert")):
            with self.subTest(arguments):
                self.assert_one_complaint(self.assert_code(self.home.run(*arguments), EXIT_USAGE))

    def test_no_home_folder_is_known(self):
        start = self.home.folder("start")
        for environment in ({}, {"HOME": ""}, {"HOME": "daheim"}, {"HOME": ".", "XDG_DATA_HOME": "daten"}):
            for arguments in (("init",), ("ingest", "."), ("corpus", "list"), ("doctor",)):
                with self.subTest((environment, arguments)):
                    result = subprocess.run([bp.binary(), *arguments], env=environment, cwd=start, text=True,
                                            capture_output=True, check=False)
                    self.assertEqual((result.returncode, result.stdout), (EXIT_USAGE, ""), result.stderr)
                    self.assertEqual(result.stderr, "beleg: no home folder is known "
                                     "(set HOME, BELEG_HOME or give --home)\n")
                    self.assertEqual(list(start.iterdir()), [])
        # What needs no home runs without one.
        result = subprocess.run([bp.binary(), "completion", "bash"], env={}, capture_output=True, check=False)
        self.assertEqual(result.returncode, EXIT_OK, result.stderr)

    def test_no_corpus_yet(self):
        for arguments in (("audit",), ("trace",), ("replay",), ("corpus", "log"), ("corpus", "failures"),
                          ("rollback",), ("verify", "0" * 64)):
            with self.subTest(arguments):
                result = self.assert_code(self.home.run(*arguments), EXIT_FAILED)
                self.assert_one_complaint(result, "beleg ingest")
        self.assert_code(self.home.run("corpus", "list"), EXIT_OK)
        self.assertFalse((self.home.path / "corpora").exists(), "looking made a corpus")

    def test_completion_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell):
                script = self.assert_code(self.home.run("completion", shell), EXIT_OK).out
                for name in self.commands():
                    self.assertIn(name, script)
                if shutil.which(shell):
                    checked = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, check=False)
                    self.assertEqual((checked.returncode, checked.stderr), (0, ""))


if __name__ == "__main__":
    bp.main(needs_models=False)
