"""``voteweb doctor`` and ``voteweb rescore``: faults are reported and repaired."""

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import output
from tests.conftest import MakeStore
from tests.store.examination import run, server_setting
from voteweb.core.models import LogAction, LogEntry
from voteweb.core.ranking_trial import change_weights
from voteweb.store import Store


def test_consistent_data_are_counted(invoke: Invoke, store: Store) -> None:
    factories.article(store, groups=("books", "music"))
    factories.user(store, "bob")
    for options in ([], ["--repair"]):
        assert output(invoke("doctor", *options)) == "The data are consistent: 1 article, 2 members, 2 groups\n"


def test_each_fault_is_reported_with_its_key(invoke: Invoke, store: Store) -> None:
    id = factories.article(store).id
    run(store, "ZADD", "score:", 1, f"article:{id}")
    run(store, "PERSIST", f"voted:{id}")
    for _ in range(2):  # nothing is changed
        result = invoke("doctor")
        assert (result.exit_code, result.stderr) == (1, "Error: 2 broken invariants\n")
        first, second = result.stdout.splitlines()
        assert first.startswith(f"score:  has article:{id} at 1.000 instead of ")
        assert second == f"voted:{id}  never expires"


def test_each_repair_is_reported(invoke: Invoke, store: Store) -> None:
    id = factories.article(store).id
    run(store, "HINCRBY", f"article:{id}", "votes", 1)
    votes, *_, summary, consistent = output(invoke("doctor", "--repair")).splitlines()
    assert votes.startswith(
        f"article:{id}  votes is 2, but base 0 and 1 voters make 1: repaired, now votes 2, base 1, "
    )
    assert (summary, consistent) == (
        "Repaired 4 broken invariants.", "The data are consistent: 1 article, 1 member, 0 groups"
    )  # fmt: skip


def test_what_cannot_be_repaired_is_reported_with_its_reason(invoke: Invoke, store: Store) -> None:
    id = factories.article(store).id
    run(store, "HSET", f"article:{id}", "gone", "somehow")
    run(store, "ZADD", "score:", 1, "article:77")
    result = invoke("doctor", "--repair")
    assert (result.exit_code, result.stderr) == (1, "Error: 1 broken invariant left\n")
    assert result.stdout.splitlines() == [
        "score:  holds article:77, which is no article: repaired",
        f"article:{id}  is gone in an unknown way: somehow: NOT repaired, the value is stored nowhere else: "
        "a backup may hold it; set the field with HSET",
        "Repaired 1 broken invariant.",
    ]


def test_what_other_programs_made_is_a_fault_only_if_asked(invoke: Invoke, store: Store) -> None:
    run(store, "SADD", "voted:article:7", 5)
    note = "Note: voted:article:7  is no key of voteweb: another program made this key\n"
    for options in ([], ["--repair"]):
        consistent = "The data are consistent: 0 articles, 0 members, 0 groups\n"
        assert output(invoke("doctor", *options)) == note + consistent
    assert invoke("doctor", "--strict").stderr == "Error: 1 broken invariant\n"


def test_beside_a_key_of_another_type_the_rest_is_reported(invoke: Invoke, store: Store) -> None:
    _, id = (factories.article(store, groups=names).id for names in (("books",), ()))
    run(store, "SET", "group:books", "hello")
    run(store, "ZREM", "posted:ann", f"article:{id}")
    left_out = "Other checks, which need a key of another type, were left out."
    result = invoke("doctor")
    assert (result.exit_code, result.stderr) == (1, f"Error: 2 broken invariants. {left_out}\n")
    result = invoke("doctor", "--repair")
    assert (result.exit_code, result.stderr) == (1, f"Error: 1 broken invariant left. {left_out}\n")


def test_settings_of_the_data_count_until_rescoring_to_others(invoke: Invoke, make_store: MakeStore) -> None:
    store = make_store(vote_score=100.0)
    store.site_settings.take_settings()  # the first start
    assert "100.0 seconds data" in " ".join(invoke("config").stdout.split())
    for _ in range(2):
        factories.article(store, groups=("books",), link="")
    assert invoke("doctor").output == "The data are consistent: 2 articles, 1 member, 1 group\n"
    notice = (
        "VOTEWEB_VOTE_SCORE=3600.0 is not in force: the data have 100.0. To change that, run `voteweb rescore "
        "--to-environment`.\n"
    )
    other = {"VOTEWEB_VOTE_SCORE": "3600"}
    assert invoke("config", **other).stdout.endswith(notice)
    assert "not in force" not in invoke("config").stdout  # the environment says nothing of it
    assert invoke("rescore", **other).output == f"{notice}Checked 2 articles, changed 0.\n"
    assert invoke("rescore", "--to-environment", **other).output == "Checked 2 articles, changed 2.\n"
    assert invoke("doctor").exit_code == 0
    entry = LogEntry(LogAction.WEIGHTS, "root")
    store.site_settings.change_settings(lambda old: change_weights(old, good_votes=3), entry)
    assert invoke("doctor").stdout.startswith("The scores are computed anew and not checked: 0 of 2 so far.")


def test_other_options_of_the_server_are_warned_about(invoke: Invoke, store: Store) -> None:
    with server_setting(store, "maxmemory-policy", "allkeys-lru"):
        result = invoke("doctor")
    assert result.exit_code == 0
    warnings = [line.removeprefix("Warning: ").split()[0] for line in result.stdout.splitlines()[:-1]]
    assert warnings == ["maxmemory-policy"]
