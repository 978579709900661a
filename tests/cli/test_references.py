"""`beleg search --mode lexical`: references to provisions, identifiers and compounds find their document first."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import beleg_program as bp  # noqa: E402
from beleg_program import EXIT_OK, write  # noqa: E402

TEXTS = {
    "five-two": "Die Frist beginnt nach § 5 Abs. 2 mit dem Tag der Zustellung. Absatz 5 bleibt unberührt.",
    "two-five": "Die Frist beginnt nach § 2 Abs. 5 mit dem Tag der Zustellung. Absatz 2 bleibt unberührt.",
    "article": "Die Verarbeitung ist nach Art. 6 Abs. 1 lit. f zulässig, wenn ein Interesse besteht.",
    "other-article": "Die Verarbeitung ist nach Art. 1 Abs. 6 zulässig, wenn ein Interesse besteht. Lit. f gilt.",
    "standard": "Das Gerät wurde nach ISO/IEC 27001:2022 und DIN EN 60601-1 geprüft.",
    "other-standard": "Das Gerät wurde nach ISO/IEC 27002:2022 und DIN EN 60601-2 geprüft.",
    "part": "Der Baustein STM32F103C8T6 steckt im Steuergerät.",
    "compound": "Die Grundstücksverkehrsgenehmigung erteilt die Behörde der Gemeinde.",
}
QUESTIONS = {
    "§ 5 Abs. 2": "five-two",
    "§5 Absatz 2": "five-two",
    "§ 2 Abs. 5": "two-five",
    "Was regelt Paragraph 5?": "five-two",
    "Artikel 6(1)(f)": "article",
    "ISO 27001": "standard",
    "DIN EN 60601-2": "other-standard",
    "stm32f103c8t6": "part",
    "Genehmigung für ein Grundstück": "compound",
}


def setUpModule():
    global home
    home = bp.Home()
    documents = home.folder("provisions")
    for name, text in TEXTS.items():
        write(documents / f"{name}.md", f"---\ntitle: Vorschrift\nlanguage: de\n---\n\n{text}\n")
    bp.ProgramTest().ingest(home, documents)


def tearDownModule():
    home.remove()


class ReferenceTest(bp.ProgramTest):
    def test_question_finds_its_document_first(self):
        write(home.path / "asked.jsonl",
              "".join(json.dumps({"_id": str(i), "text": text}, ensure_ascii=False) + "\n"
                      for i, text in enumerate(QUESTIONS)))
        result = home.run("search", "--queries", home.path / "asked.jsonl", "--mode", "lexical",
                          "--unit", "document", "--k", "3", "--format", "trec")
        self.assert_code(result, EXIT_OK)
        first = {}
        for line in result.out.splitlines():
            question, _, document, rank, *_ = line.split()
            if rank == "1":
                first[int(question)] = document
        for i, (text, wanted) in enumerate(QUESTIONS.items()):
            with self.subTest(question=text):
                self.assertIn(wanted, Path(first[i]).stem.split("/"), first[i])


if __name__ == "__main__":
    bp.main()
