"""Writes labelled German passages, alone or hidden among news articles, as JSONL.

The data is described in bench/quality/README.md. Only the standard library is used.
"""

import csv
import json
import pathlib


def write(data: pathlib.Path, out: pathlib.Path, with_news: bool) -> None:
    """Replaces `out`; raises OSError when a part of the data is not there."""
    part = out.with_suffix(".part")
    with part.open("w", encoding="utf-8") as sink:
        def put(identity: str, title: str, text: str, date: str = "") -> None:
            record = {"_id": identity, "title": title, "text": text, "language": "de"}
            if date:
                record["date"] = date
            sink.write(json.dumps(record, ensure_ascii=False) + "\n")

        for line in (data / "retrieval_qa/xquad_de/docs.jsonl").open(encoding="utf-8"):
            document = json.loads(line)
            # The titles are English and name the answer's article: left out, as in published runs.
            put(document["_id"], "", document["text"])
        if with_news:
            for path in sorted((data / "fang_news_de").glob("*.jsonl")):
                for line in path.open(encoding="utf-8"):
                    article = json.loads(line)
                    put(article["id"], article["title"], article["text"], article["date"])
            csv.field_size_limit(1 << 30)
            with (data / "gnad10k_test/test.csv").open(encoding="utf-8", newline="") as source:
                for number, row in enumerate(csv.reader(source, delimiter=";", quotechar="'")):
                    put(f"gnad-{number}", "", row[1])
    part.replace(out)
