"""`beleg models`: what is installed, what is damaged, what to run when something is missing."""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import ENCODER, EXIT_FAILED, EXIT_OK, EXIT_PARTIAL, EXIT_USAGE, story, write  # noqa: E402

FETCH = f"beleg models fetch {ENCODER}"
OTHER = "all-minilm-l6-v2"


class ModelsTest(bp.ProgramTest):
    def home_with_own_models(self):
        """A home with a copy of the encoder that may be damaged."""
        home = bp.Home(with_models=False)
        self.addCleanup(home.remove)
        shutil.copytree(bp.models_folder() / ENCODER, home.path / "models" / ENCODER)
        self.model_file = home.path / "models" / ENCODER / "e5-small-q4.bin"
        return home

    def encoder(self, result):
        return next(m for m in result.json() if m["name"] == ENCODER)

    def test_list_and_check(self):
        home = bp.Home()
        self.addCleanup(home.remove)
        models = self.assert_code(home.run("models", "list", "--json"), EXIT_OK).json()
        self.assertEqual(len({m["name"] for m in models}), len(models))
        self.assertEqual([m["name"] for m in models if m["default"]], [ENCODER])
        for model in models:
            self.assertTrue(model["licence"] and model["registry"] and model["package"] and model["files"])
            for file in model["files"]:
                self.assertRegex(file["sha256"], "^[0-9a-f]{64}$")
            if model["state"] == "absent":
                self.assertIn("beleg models fetch " + model["name"], model["detail"])
        checked = self.encoder(self.assert_code(home.run("models", "check", "--json"), EXIT_OK))
        self.assertEqual(checked["state"], "ready")
        for file in checked["files"]:
            content = (bp.models_folder() / ENCODER / file["name"]).read_bytes()
            self.assertEqual(hashlib.sha256(content).hexdigest(), file["sha256"])
            self.assertEqual(len(content), file["bytes"])
        self.assertIn(f"{ENCODER}  [ready]", home.run("models", "list").out)

    def test_no_models_at_all(self):
        home = bp.Home(with_models=False)
        self.addCleanup(home.remove)
        folder = home.folder("pool")
        write(folder / "a.md", story("A", "Der Igel frisst Käfer."))
        self.assertEqual(self.encoder(home.run("models", "list", "--json"))["state"], "absent")
        self.assert_code(home.run("models", "check"), EXIT_FAILED)
        self.assert_one_complaint(self.assert_code(home.run("ingest", folder), EXIT_FAILED), FETCH)
        self.assertFalse((home.path / "corpora").exists(), "a corpus was made without the model for it")
        doctor = self.assert_code(home.run("doctor"), EXIT_FAILED)
        self.assertIn(FETCH, doctor.out)
        # What needs no model works without.
        for arguments in (("config",), ("config", "steps"), ("corpus", "list"), ("completion", "bash"), ("init",)):
            self.assert_code(home.run(*arguments), EXIT_OK)
        # A corpus made elsewhere: asking says what to run, and looking at it works.
        other = bp.Home()
        self.addCleanup(other.remove)
        self.ingest(other, folder)
        shutil.copytree(other.path / "corpora", home.path / "corpora")
        self.assert_one_complaint(self.assert_code(home.run("ask", "Igel?"), EXIT_FAILED), FETCH)
        self.assert_one_complaint(self.assert_code(home.run("search", "Igel"), EXIT_FAILED), FETCH)
        self.assert_all_well(home)

    def test_damaged_model(self):
        home = self.home_with_own_models()
        folder = home.folder("pool")
        write(folder / "a.md", story("A", "Der Igel frisst Käfer."))
        size = self.model_file.stat().st_size
        with open(self.model_file, "r+b") as file:
            file.seek(size // 2)
            byte = file.read(1)[0]
            file.seek(size // 2)
            file.write(bytes([byte ^ 1]))
        result = self.assert_code(home.run("models", "check", "--json"), EXIT_FAILED)
        model = self.encoder(result)
        self.assertEqual(model["state"], "damaged")
        self.assertIn("e5-small-q4.bin", model["detail"])
        self.assertIn(FETCH, model["detail"])
        self.assertIn(FETCH, self.assert_code(home.run("doctor"), EXIT_FAILED).out)

    def test_truncated_model_is_refused_at_once(self):
        home = self.home_with_own_models()
        folder = home.folder("pool")
        write(folder / "a.md", story("A", "Der Igel frisst Käfer."))
        os.truncate(self.model_file, self.model_file.stat().st_size - 4096)
        self.assertEqual(self.encoder(home.run("models", "list", "--json"))["state"], "damaged")
        self.assert_one_complaint(self.assert_code(home.run("ingest", folder), EXIT_FAILED), FETCH)
        os.truncate(self.model_file, 0)
        self.assert_one_complaint(self.assert_code(home.run("ingest", folder), EXIT_FAILED), FETCH)

    def test_unknown_names_and_actions(self):
        home = bp.Home()
        self.addCleanup(home.remove)
        self.assert_code(home.run("models"), EXIT_USAGE)
        self.assert_one_complaint(self.assert_code(home.run("models", "kaufen"), EXIT_USAGE), "fetch")
        for name in ("gibt-es-nicht", "../../etc"):
            result = self.assert_code(home.run("models", "fetch", name), EXIT_FAILED, EXIT_USAGE)
            self.assert_one_complaint(result, ENCODER)
        self.assert_code(home.run("models", "add", "eigenes"), EXIT_USAGE)
        result = self.assert_code(home.run("models", "check", "gibt-es-nicht"), EXIT_FAILED, EXIT_USAGE)
        self.assert_one_complaint(result)
        unknown = home.run("ask", "--set", 'models.encoder=gibt-es-nicht', "Was?")
        self.assert_code(unknown, EXIT_FAILED, EXIT_USAGE)

    def test_another_encoder(self):
        if not (bp.models_folder() / OTHER / "model.onnx").exists():
            self.skipTest(f"needs {OTHER}: beleg models fetch {OTHER}")
        home = bp.Home()
        self.addCleanup(home.remove)
        folder = home.folder("pool")
        write(folder / "a.md", story("A", "The hedgehog eats beetles and worms in the garden at night."))
        write(folder / "b.md", story("B", "The council decided on a new bridge across the river."))
        other = ("--set", f"models.encoder={OTHER}")
        _, first = self.ingest(home, folder)
        self.assertEqual((first["encoded"], first["reused"]), (2, 0))
        # Vectors of two models are never compared.
        for command in ("ask", "search"):
            refused = self.assert_code(home.run(command, *other, "What do hedgehogs eat?"), EXIT_FAILED)
            self.assert_one_complaint(refused, ENCODER, OTHER, "beleg ingest")
        # The next ingest encodes all of it anew, and then the first model is the wrong one.
        _, second = self.ingest(home, *other, folder)
        self.assertEqual((second["encoded"], second["reused"]), (2, 0))
        self.assertTrue(self.found(home, "What do hedgehogs eat?", *other))
        receipt = self.ask(home, "What do hedgehogs eat?", *other, codes=(EXIT_OK, EXIT_PARTIAL))
        self.assertIn(OTHER, json.dumps(receipt))
        refused = self.assert_code(home.run("search", "What do hedgehogs eat?"), EXIT_FAILED)
        self.assert_one_complaint(refused, ENCODER, OTHER)
        # The way back costs no encoding: the vectors of both models are kept.
        _, third = self.ingest(home, folder)
        self.assertEqual((third["encoded"], third["reused"]), (0, 2))
        self.assert_code(home.run("search", "What do hedgehogs eat?"), EXIT_OK)
        self.assert_all_well(home)

    def test_encoder_that_cannot_be_run(self):
        home = bp.Home(with_models=False)
        self.addCleanup(home.remove)
        source = home.folder("own")
        write(source / "model.onnx", "no network")
        write(source / "tokenizer.json", "{}")
        added = home.run("models", "add", "own", "--from", source, "--role", "encoder")
        self.assert_code(added, EXIT_OK)
        folder = home.folder("pool")
        write(folder / "a.md", story("A", "Der Igel frisst Käfer."))
        result = self.assert_code(home.run("ingest", "--set", "models.encoder=own", folder), EXIT_FAILED)
        self.assert_one_complaint(result, "own/model.onnx")

    def test_fetch(self):
        if os.environ.get("BELEG_TEST_NETWORK") != "1":
            self.skipTest("needs the network: set BELEG_TEST_NETWORK=1")
        home = bp.Home(with_models=False)
        self.addCleanup(home.remove)
        model = self.assert_code(home.run("models", "fetch", "--json", timeout=900), EXIT_OK).json()
        self.assertEqual((model["name"], model["state"]), (ENCODER, "ready"))
        self.assert_code(home.run("models", "check"), EXIT_OK)
        again = self.assert_code(home.run("models", "fetch"), EXIT_OK)
        self.assertLess(again.seconds, 60)


if __name__ == "__main__":
    bp.main()
