"""The repair of a conversation: everything in one command, which its revision guards."""

from dataclasses import dataclass, field

from voteweb.core.comments import Node
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.thread_snapshots import ThreadSnapshot, guard_reads
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import format_node
from voteweb.store.site.changes import record_change

#: Members of a set, or comments, that one command names.
NAMED_AT_ONCE = 500


@dataclass
class Repair:
    """A command that repairs a conversation, if it is still as in its snapshot."""

    keys: Keys
    snapshot: ThreadSnapshot
    #: The comments that are stored otherwise, by number.
    nodes: dict[int, Node] = field(default_factory=dict)
    #: The fields of the conversation's own that are stored otherwise.
    fields: dict[str, str] = field(default_factory=dict)
    #: The comments whose words go.
    words: list[int] = field(default_factory=list)
    #: What else is written, which needs no other revision.
    writes: list[Command] = field(default_factory=list)

    def guarded(self, *writes: Command) -> Command:
        """Return the command that does these *writes* if the conversation is still as in its snapshot."""
        seen = self.snapshot
        replies = [seen.fields.get("rev"), seen.article, int(seen.is_removing), seen.hidden_bits]
        return guarded(self.keys, guard_reads(self.keys, seen.id), replies, writes)

    def command(self) -> Command:
        """Return the command that repairs all of it."""
        key, words = self.keys.thread(self.snapshot.id), self.keys.words(self.snapshot.id)
        fields = self.fields | {str(number): format_node(node) for number, node in self.nodes.items()}
        if fields or self.words:
            revision = max(int(1_000_000 * self.snapshot.now), self.snapshot.thread.revision + 1)
            fields["rev"] = str(revision)
        writes: list[Command] = [
            ("HSET", key, *(part for item in batch for part in item))
            for batch in batched(fields.items(), NAMED_AT_ONCE)
        ]
        writes += [("HDEL", words, *batch) for batch in batched(self.words, NAMED_AT_ONCE)]
        if self.nodes or self.words:
            writes.append(record_change(self.keys, "t", self.snapshot.id))
        return self.guarded(*writes, *self.writes)
