"""The commands of one request: which were sent, which a script ran, which is the longest."""

from bench.parts.blocking import longest_command
from bench.sites.import_run import longest_in_parts
from bench.tracing.sent_commands import command_names
from bench.tracing.slowlog import Command, direct_commands


def test_commands_of_a_script_are_not_counted_beside_it() -> None:
    commands = [Command(text, 0.001) for text in ("HGET a", "ZCARD b", "ZADD b", "EVALSHA c", "ZCARD b")]
    assert direct_commands(commands, ["HGET", "EVALSHA", "ZCARD"]) == [commands[0], commands[3], commands[4]]


def test_command_names_are_read_from_the_wire() -> None:
    packed = b"*2\r\n$4\r\nhget\r\n$6\r\na\r\nb:c\r\n*1\r\n$4\r\nPING\r\n"
    assert list(command_names(packed)) == ["HGET", "PING"]


def test_longest_command_of_an_import_is_not_a_single_disturbance() -> None:
    commands = [Command(f"EVALSHA {n}", seconds) for n, seconds in enumerate((0.009, 0.001, 0.002, 0.001, 0.001))]
    assert longest_in_parts(commands) == commands[2]
    assert longest_in_parts([]) == Command("", 0.0)


def test_longest_command_is_the_one_slow_in_every_run() -> None:
    usual = [Command("SORT time: LIMIT 0 25", 0.002), Command("HGET article:1", 0.001)]
    disturbed = [Command("SORT time: LIMIT 0 26", 0.002), Command("HGET article:2", 0.9)]
    assert longest_command([usual, disturbed, usual]) == Command("SORT time: LIMIT # #", 0.002)
