"""What the engine is meant to reach beside its peers, and the table that says whether it does.

Results are the JSON lines of `run`. CPU seconds are compared where both sides report them: they mean
something on a machine that does other work as well. Wall times stand beside them, and limits of wall
time are judged only where nothing else ran.
"""

# Runnable processes, on average over a minute, from which on a missed wall time tells of others.
BUSY_LOAD = 2.5
# Approximate search is compared at the fastest width that finds this share of the exact best ten.
DENSE_RECALL = 0.98


class Results:
    """The last line of each (kind, peer, marks); earlier ones were measured again."""

    def __init__(self, lines):
        self.lines = lines

    def find(self, kind, peer, **marks):
        """Metrics of the last line of a peer whose marks (metrics or environment) agree, or None.

        Has the load of the machine as "load"."""
        for line in reversed(self.lines):
            if line["kind"] != kind or line["peer"] != peer:
                continue
            known = {**line.get("env", {}), **line["metrics"]}
            if all(known.get(name) == value for name, value in marks.items()):
                load = line.get("env", {}).get("loadavg", 0)
                return {**line["metrics"], "load": load[0] if isinstance(load, list) else load}
        return None


def value(metrics, path):
    """metrics["a"]["b"] for "a.b"; None where it is not there."""
    for name in path.split("."):
        if not isinstance(metrics, dict) or metrics.get(name) is None:
            return None
        metrics = metrics[name]
    return metrics


def text(number):
    if number is None:
        return "–"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def dense_at_recall(metrics, wanted):
    """The fastest point of an ann line that reaches the recall; None where none does."""
    points = [p for p in (metrics or {}).get("points", []) if p["recall10"] >= wanted]
    return max(points, key=lambda p: p["qps_cpu"], default=None)


class Table:
    def __init__(self):
        self.rows = []

    def ratio(self, name, ours, peers, cpu, wall, factor, more_is_better=True):
        """One row per peer. `peers`: name → metrics. `factor`: None where nothing is demanded."""
        for peer, metrics in peers.items():
            if metrics is None and factor is None:
                continue
            pairs = [(value(ours, path), value(metrics, path)) for path in (cpu, wall)]
            ratios = []
            for mine, theirs in pairs:
                usable = mine and theirs
                ratios.append((mine / theirs if more_is_better else theirs / mine) if usable else None)
            met = "–" if factor is None or ratios[0] is None else "yes" if ratios[0] >= factor else "no"
            self.rows.append((f"{name}: {peer}",
                              f"{text(pairs[0][0])} ({text(pairs[1][0])})",
                              f"{text(pairs[0][1])} ({text(pairs[1][1])})",
                              f"{text(ratios[0])} ({text(ratios[1])})",
                              "–" if factor is None else f"≥ {factor:g} ×", met))

    def limit(self, name, metrics, path, limit, at_least=False, other=None):
        """A row against a fixed number. `other`: path of what is shown in brackets."""
        mine = value(metrics, path)
        shown = text(mine) + (f" ({text(value(metrics, other))})" if other else "")
        if limit is None:
            self.rows.append((name, shown, "", "", "–", "–"))
            return
        met = "–" if mine is None else "yes" if (mine >= limit if at_least else mine <= limit) else "no"
        if met == "no" and "wall" in name and metrics["load"] > BUSY_LOAD:
            met = f"not known (load {metrics['load']:.0f})"
        self.rows.append((name, shown, "", "", ("≥ " if at_least else "≤ ") + f"{limit:g}", met))

    def markdown(self):
        head = "| row | ours: CPU (wall) | peer: CPU (wall) | ours / peer: CPU (wall) | goal | met |"
        lines = [head, "|---|---|---|---|---|---|"]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join(lines)


def lexical_rows(table, results):
    ours = results.find("lexical", "beleg")
    if ours is None:
        return
    peer = {name: results.find("lexical", name) for name in
            ("bm25s-numba", "tantivy-stem", "lucene-english", "fts5")}
    for name, factor in (("bm25s-numba", 2), ("tantivy-stem", 4), ("lucene-english", None), ("fts5", None)):
        table.ratio("BM25, questions / s", ours, {name: peer[name]}, "query.qps_cpu", "query.qps_wall", factor)
    table.limit("BM25, hit@10", ours, "query.hit10", 0.950, at_least=True)
    table.limit("BM25, MRR@10", ours, "query.mrr10", 0.898, at_least=True)
    table.limit("BM25, p99 CPU ms (wall)", ours, "query.cpu_ms_p99", 0.4, other="query.wall_ms_p99")
    for name, factor in (("tantivy-stem", 2), ("bm25s-numba", None), ("lucene-english", None)):
        table.ratio("lexical build, passages / s", ours, {name: peer[name]}, "docs_per_cpu_s", "docs_per_s", factor)


def dense_rows(table, results):
    sizes = sorted({line["metrics"]["rows"] for line in results.lines if line["kind"] == "ann"})
    for rows in sizes:
        ours = dense_at_recall(results.find("ann", "beleg", rows=rows), DENSE_RECALL)
        if ours is None:
            continue
        for name, factor in (("faiss-pqfs-rr", 1.5), ("faiss-flat", None), ("usearch-i8", None), ("hnswlib", None)):
            peer = dense_at_recall(results.find("ann", name, rows=rows), DENSE_RECALL)
            table.ratio(f"dense, {rows} vectors, recall ≥ {DENSE_RECALL}, questions / s", ours, {name: peer},
                        "qps_cpu", "qps_wall", factor)


def model_rows(table, results):
    for model in ("all-minilm-l6-v2", "multilingual-e5-small"):
        ours = results.find("embed", "beleg-" + model)
        if ours is None:
            continue
        for name in ("ort-opt-int8", "ov", "ct2-int8", "st"):
            peer = results.find("embed", name)
            table.ratio(f"embedding {model}, passages / s (peers: MiniLM)", ours, {name: peer},
                        "chunks_per_cpu_s", "chunks_per_s", None)
            table.ratio(f"embedding {model}, one question ms (peers: MiniLM)", ours, {name: peer},
                        "query_ms.cpu_p50", "query_ms.wall_p50", None, more_is_better=False)
    ours = results.find("rerank", "beleg-late-interaction")
    if ours is not None:
        table.limit("late interaction over 25, CPU ms", ours, "cpu_ms_p50", 5, other="wall_ms_p50")
        for name in ("ort-opt-int8", "ort-opt", "st"):
            table.ratio("rerank, pairs / s", ours, {name: results.find("rerank", name)},
                        "pairs_per_cpu_s", "pairs_per_s", None)


def pipeline_rows(table, results, full, small):
    limits = {"multilingual-e5-small": 10, "all-minilm-l6-v2": 6}
    for model, limit in limits.items():
        large = results.find("pipeline", "beleg-norerank", limit=full, threads=2, model=model)
        if large is not None:
            table.limit(f"hybrid without rerank, all passages, 2 threads, {model}, wall ms (CPU)", large,
                        "query.wall_ms_p50", limit, other="query.cpu_ms_p50")
        ours = results.find("pipeline", "beleg-norerank", limit=small, model=model)
        whole = results.find("pipeline", "beleg", limit=small, model=model)
        for name in ("llamaindex", "haystack", "txtai", "haiku-rag"):
            for mine, suffix, title in ((ours, "-norerank", "hybrid without rerank"), (whole, "", "whole cascade")):
                peer = results.find("pipeline", name + suffix, limit=small)
                if mine is not None and peer is not None:
                    table.ratio(f"{title}, {small} passages, {model}, ms", mine, {name: peer},
                                "query.cpu_ms_p50", "query.wall_ms_p50", None, more_is_better=False)
        if whole is not None:
            queries = text(value(whole, "queries_per_question"))
            abstained = 100 * value(whole, "abstained")
            table.limit(f"whole cascade, {small} passages, {queries} queries, {abstained:.0f} % abstained, {model}, "
                        "wall ms (CPU)", whole,
                        "query.wall_ms_p50", 46, other="query.cpu_ms_p50")


def process_rows(table, results, full):
    cold = results.find("cold", "beleg", limit=full)
    if cold is not None:
        table.limit("cold start to the first hybrid answer, all passages, wall ms (CPU)", cold, "cold_ms_p50",
                    300, other="cold_cpu_ms_p50")
        table.limit("memory after 100 questions, all passages, MB (without mapped files)", cold,
                    "process.rss_mb", 300, other="process.rss_anonymous_mb")
    busy = results.find("contention", "beleg")
    if busy is not None:
        table.limit("wall p95 with every core busy / quiet p50", busy, "busy_p95_over_quiet_p50", 3)
    for peer in ("beleg", "beleg-without-encoder"):
        ingest = results.find("product-ingest", peer)
        if ingest is not None:
            table.limit(f"ingest ({peer}), passages / CPU s (wall)", ingest, "docs_per_cpu_s", None,
                        other="docs_per_s")


def goals_table(lines, full=0, small=8000):
    """The Markdown table. `full` and `small` are the `--limit` of the large and the small corpus."""
    results = Results(lines)
    table = Table()
    lexical_rows(table, results)
    dense_rows(table, results)
    model_rows(table, results)
    pipeline_rows(table, results, full, small)
    process_rows(table, results, full)
    return table.markdown()
