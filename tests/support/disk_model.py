"""What a power cut may leave on a disk: a model of a file system, fed with the journal of a run.

It is as strict as POSIX allows. Bytes and length of a file are safe once the file was flushed; a
name is safe once the folder it stands in was flushed. Of all the rest any part may be there: each
change of a name or not, each write or not, or only some of its sectors. A change of names that
concerns two folders is whole or not at all.

With `ext4` a flush of anything makes all earlier changes of names safe, as one commit of the journal
of that file system does.

A flush that failed makes nothing safe, and what it should have flushed never will be by a later
one: Linux takes such pages for clean (`lost`).
"""

import os
import shutil

SHARED_MEMORY = "-shm"  # SQLite's; never on a disk in the sense that anyone may rely on it.


class File:
    def __init__(self, content=b""):
        self.safe = bytearray(content)
        self.pending = []  # ("write", offset, bytes) or ("truncate", size), in order.
        self.lost = set()  # Positions in `pending` that no later flush will save.

    def flush(self):
        for position, change in enumerate(self.pending):
            if position not in self.lost:
                apply(self.safe, change)
        self.pending = []
        self.lost = set()

    def fail_to_flush(self):
        self.lost = set(range(len(self.pending)))


class Folder:
    def __init__(self):
        self.live = {}
        self.first = {}  # Before the first change of a name.


class NameChange:
    """Names and what they stand for after it (None: nothing), of one or two folders."""

    def __init__(self, assignments):
        self.assignments = assignments
        self.safe = False


def apply(content, change):
    if change[0] == "truncate":
        size = change[1]
        if size < len(content):
            del content[size:]
        else:
            content.extend(bytes(size - len(content)))
        return
    _, offset, data = change
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


class Disk:
    """Begins with a folder as it is, all of it safe, links left out."""

    def __init__(self, root, ext4=False):
        self.root = os.fspath(root)
        self.ext4 = ext4
        self.changes = []
        self.by_inode = {}
        self.top = self._load(self.root)

    def _load(self, path):
        folder = Folder()
        for entry in os.scandir(path):
            if entry.is_symlink() or entry.name.endswith(SHARED_MEMORY):
                continue
            if entry.is_dir():
                folder.live[entry.name] = self._load(entry.path)
            else:
                with open(entry.path, "rb") as file:
                    node = File(file.read())
                self.by_inode[entry.inode()] = node
                folder.live[entry.name] = node
        folder.first = dict(folder.live)
        return folder

    def _place(self, path):
        """The folder that a path stands in, and its name there."""
        folder = self.top
        *parents, name = path[len(self.root) + 1:].split("/")
        for parent in parents:
            folder = folder.live[parent]
        return folder, name

    def _folder(self, path):
        """The folder of that path, or None."""
        node = self.top
        for name in path[len(self.root) + 1:].split("/") if path != self.root else []:
            node = node.live.get(name) if isinstance(node, Folder) else None
        return node if isinstance(node, Folder) else None

    def _change(self, assignments):
        for folder, name, node in assignments:
            if node is None:
                folder.live.pop(name, None)
            else:
                folder.live[name] = node
        self.changes.append(NameChange(assignments))

    def take(self, operation):
        """Carries out one operation of the journal."""
        if SHARED_MEMORY in operation.name:
            return
        if operation.kind == "sync":
            self._sync(operation)
            return
        if operation.result < 0 or operation.kind in ("open", "access"):
            return
        getattr(self, "_" + operation.kind)(operation)

    def _create(self, operation):
        node = File()
        self.by_inode[operation.inode] = node
        folder, name = self._place(operation.path)
        self._change([(folder, name, node)])

    def _write(self, operation):
        self.by_inode[operation.inode].pending.append(("write", operation.offset, operation.data))

    def _truncate(self, operation):
        self.by_inode[operation.inode].pending.append(("truncate", operation.offset))

    _allocate = _truncate  # The journal has the length after it.

    def _mkdir(self, operation):
        folder, name = self._place(operation.path)
        self._change([(folder, name, Folder())])

    def _unlink(self, operation):
        folder, name = self._place(operation.path)
        self._change([(folder, name, None)])

    _rmdir = _unlink

    def _link(self, operation):
        folder, name = self._place(operation.second)
        source, source_name = self._place(operation.path)
        self._change([(folder, name, source.live[source_name])])

    def _pair(self, operation):
        folder, name = self._place(operation.path)
        target, target_name = self._place(operation.second)
        return (folder, name, folder.live[name]), (target, target_name, target.live.get(target_name))

    def _rename(self, operation):
        (folder, name, node), (target, target_name, _) = self._pair(operation)
        self._change([(folder, name, None), (target, target_name, node)])

    def _exchange(self, operation):
        (folder, name, node), (target, target_name, other) = self._pair(operation)
        self._change([(folder, name, other), (target, target_name, node)])

    def _map(self, operation):
        raise AssertionError(f"{operation.path} is written through a map, which no journal shows")

    def _sync(self, operation):
        folder = self._folder(operation.path)
        node = None if folder else self.by_inode[operation.inode]
        if operation.result < 0:
            if node:
                node.fail_to_flush()
            return
        if node:
            node.flush()
        for change in self.changes:
            if self.ext4 or any(where is folder for where, _, _ in change.assignments):
                change.safe = True

    def write_out(self, target, choice):
        """Puts what `choice` leaves of the disk into an empty folder."""
        entries = {}
        for change in self.changes:
            if not change.safe and not choice.keeps_names():
                continue
            for folder, name, node in change.assignments:
                entries.setdefault(folder, dict(folder.first))[name] = node
        self._write_folder(self.top, os.fspath(target), entries, choice)

    def _write_folder(self, folder, path, entries, choice):
        for name, node in entries.get(folder, folder.first).items():
            if node is None:
                continue
            below = os.path.join(path, name)
            if isinstance(node, Folder):
                os.mkdir(below)
                self._write_folder(node, below, entries, choice)
            else:
                with open(below, "wb") as file:
                    file.write(choice.content(node))


class Dropped:
    """Nothing stays but what is safe."""

    def keeps_names(self):
        return False

    def content(self, file):
        return bytes(file.safe)


class Kept:
    """All stays: what a kill leaves."""

    def keeps_names(self):
        return True

    def content(self, file):
        content = bytearray(file.safe)
        for change in file.pending:
            apply(content, change)
        return bytes(content)


class DataOnly(Kept):
    """All bytes, but no name that is not safe."""

    def keeps_names(self):
        return False


class NamesOnly(Dropped):
    """All names, but no bytes that are not safe: new files are empty."""

    def keeps_names(self):
        return True


class NamesAndLengths(Dropped):
    """All names and lengths, zeros for the bytes that are not safe."""

    def keeps_names(self):
        return True

    def content(self, file):
        length = len(Kept().content(file))
        return bytes(file.safe[:length]) + bytes(max(0, length - len(file.safe)))


class Torn:
    """Each change by chance, and of the last writes of a file each sector by chance."""

    def __init__(self, draw, sector, chance):
        self.draw = draw
        self.sector = sector
        self.chance = chance

    def keeps_names(self):
        return self.draw.random() < self.chance

    def content(self, file):
        content = bytearray(file.safe)
        for position, change in enumerate(file.pending):
            if position + 3 >= len(file.pending) and change[0] == "write":
                for piece in self._sectors(change):
                    if self.draw.random() < self.chance:
                        apply(content, piece)
            elif self.draw.random() < self.chance:
                apply(content, change)
        longest = len(Kept().content(file))
        if len(content) < longest and self.draw.random() < 0.3:
            content.extend(bytes(longest - len(content)))
        return bytes(content)

    def _sectors(self, change):
        _, offset, data = change
        start = 0
        while start < len(data):
            end = min(len(data), (offset + start) // self.sector * self.sector + self.sector - offset)
            yield "write", offset + start, data[start:end]
            start = end


def put_in_place(source, target):
    """Makes `target` hold what `source` holds; links in it stay."""
    for entry in os.scandir(target):
        if entry.is_symlink():
            continue
        if entry.is_dir():
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    for entry in os.scandir(source):
        shutil.move(entry.path, os.path.join(target, entry.name))
