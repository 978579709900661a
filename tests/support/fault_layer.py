"""Runs beleg above the fault layer (tests/crash), which meets its file operations with faults.

The layer numbers every operation of the program that could change something below the home, in the
order in which they happen, from 1. What it can do with them stands in tests/crash/fault_plan.h.
"""

import os
from pathlib import Path

import beleg_program as bp


def library():
    named = os.environ.get("BELEG_FAULT_LAYER")
    if named:
        return Path(named)
    return Path(bp.binary()).resolve().parents[1] / "tests" / "crash" / "libbeleg_fault_layer.so"


class Operation:
    """One line of the journal. `result` below 0: it failed and changed nothing."""

    def __init__(self, fields, data):
        self.number = int(fields[0])
        self.kind = fields[1]
        self.result = int(fields[2])
        self.inode = int(fields[3])
        self.offset = int(fields[4])
        self.path, self.second = fields[7], fields[8]
        self.data = data

    @property
    def name(self):
        return os.path.basename(self.path)

    def __str__(self):
        target = " -> " + self.second if self.second else ""
        return f"{self.number} {self.kind} {self.path}{target} {self.offset}+{len(self.data)} = {self.result}"


def read_journal(path):
    """What was done, in order. A program that was killed leaves what it had done until then."""
    content = Path(path).read_bytes() if Path(path).exists() else b""
    operations = []
    at = 0
    while at < len(content):
        end = content.index(b"\n", at)
        fields = content[at:end].decode().split("\t")
        length = int(fields[6])
        at = end + 1 + length
        operations.append(Operation(fields, content[end + 1:at]))
    return operations


def environment(home, **faults):
    """What a run above the layer needs; `faults` as in fault_plan.h, in lower case."""
    variables = {"LD_PRELOAD": os.fspath(library()), "BELEG_FAULT_ROOT": os.fspath(home.path)}
    for name, value in faults.items():
        variables["BELEG_FAULT_" + name.upper()] = str(value)
    return variables


def run(home, *arguments, **faults):
    """A run with faults."""
    return home.run(*arguments, environment=environment(home, **faults))


def record(home, *arguments, **faults):
    """A run, with its operations."""
    journal = home.path.with_name(home.path.name + ".journal")
    journal.unlink(missing_ok=True)
    try:
        result = run(home, *arguments, journal=journal, **faults)
        return result, read_journal(journal)
    finally:
        journal.unlink(missing_ok=True)
