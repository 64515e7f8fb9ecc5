"""The main table: the rates of the site relative to the baselines, in the same run on the same machine."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from statistics import median

from bench import sessions
from bench.budgets import Measured
from bench.constants import FRONT_PAGE, THREAD_SIZE, VOTED_ON
from bench.contenders import FORM_ACCEPTED, PAGE_SHOWN, Contender, measure_rounds, page_contender
from bench.load import Request, Sample
from bench.processes import Server, scratch_database, serve_baseline, serve_site
from bench.sessions import Visitor, log_in_members
from bench.sites import Run, Site, front_articles, newest_ids, open_front_ids, open_store_at, voter_names
from bench.tables import Cell, Table
from bench.threads import write_thread
from bench.workloads import VoteWorkload
from voteweb.store import Store

STATIC, PLAIN, LOGIN = "baseline-static", "baseline-plain", "baseline-login"
#: A ratio, the lowest and the highest one, and the ratio by processor time; a baseline and a row with errors have none.
Ratios = tuple[float | None, float | None, float | None, float | None]
NO_RATIOS: Ratios = (None, None, None, None)
#: Front pages of other members that follow a vote and the voter's next page.
OTHER_PAGES = 9
#: Articles of the front page that each member has voted for before the measurement.
OWN_VOTES = 2
#: Posts a second that no contender reaches: requests for so many are prepared.
MAX_POST_RATE = 5_000


def measure(run: Run) -> list[Table]:
    """Return the table of the site of real stories, or of the smallest generated site if there is none."""
    runs = []
    for _ in range(run.runs):
        with _start_contenders(run) as contenders:
            runs.append(measure_rounds(contenders, run.rounds, run.seconds))
    labels = {contender.key: contender.label for contender in contenders}
    rows: list[tuple[Cell, ...]] = []
    measured, invalid = {}, []
    for contender in contenders:
        samples = [sample[contender.key] for rounds in runs for sample in rounds]
        result = compare(runs, contender.key, contender.baseline) if contender.baseline else NO_RATIOS
        rate = median(sample.rate for sample in samples)
        cpu = median(sample.cpu_per_request for sample in samples)
        errors = sum(sample.errors for sample in samples)
        rows.append((contender.label, *result, rate, cpu, errors, labels.get(contender.baseline, "")))
        measured[contender.key] = Measured(result[0])
        if errors:
            invalid.append(contender.label)
    spread = f"{run.runs} runs, each the median of its rounds" if run.runs > 1 else "the rounds"
    return [
        Table(
            "ratios",
            f"{run.stories.profile.articles:,} articles: each contender relative to its baseline",
            ("contender", "ratio", "lowest", "highest", "by CPU", "requests/s", "CPU µs", "errors", "baseline"),
            rows,
            notes=(
                f"Ratio: the median, the lowest and the highest of {spread}.",
                "By CPU: the ratio by the processor time of server and database, which other processes hardly change.",
            ),
            measured=measured,
            invalid=tuple(invalid),
        )
    ]


def compare(rounds_by_run: Sequence[Sequence[dict[str, Sample]]], key: str, baseline: str) -> Ratios:
    """Return how the contender *key* compares with its *baseline* in the same rounds.

    The spread is that of the medians of several runs, or of the rounds of the only one.
    """
    pairs = [[(samples[key], samples[baseline]) for samples in rounds] for rounds in rounds_by_run]
    if any(sample.errors for rounds in pairs for pair in rounds for sample in pair):
        return NO_RATIOS
    by_run = [[sample.rate / base.rate for sample, base in rounds] for rounds in pairs]
    by_cpu = [median(base.cpu_per_request / sample.cpu_per_request for sample, base in rounds) for rounds in pairs]
    medians = [median(ratios) for ratios in by_run]
    spread = medians if len(medians) > 1 else by_run[0]
    return median(medians), min(spread), max(spread), median(by_cpu)


@contextmanager
def _start_contenders(run: Run) -> Iterator[list[Contender]]:
    """Start all servers and yield the contenders; the one that posts has a copy of the site of their own."""
    with ExitStack() as stack:
        store, server, url = _start_site(stack, run, "site")
        members = log_in_members(server.origin, voter_names())
        _cast_own_votes(store, members)
        tokens = sessions.give_tokens(store, members)
        yield [
            *_start_baselines(stack, server, url, members, run),
            *_page_contenders(server, run.stories, store, members),
            _list_of_program(server, tokens),
            *_vote_contenders(server, store, members, tokens),
            _posting_contender(_start_site(stack, run, "posting")[1], run),
        ]


def _start_site(stack: ExitStack, run: Run, name: str) -> tuple[Store, Server, str]:
    """Serve a copy of the site, and return its store, its server and the address of its database."""
    url = stack.enter_context(scratch_database(run.folder / name, run.stories.folder))
    store = open_store_at(url)
    stack.callback(store.connection.close)
    return store, stack.enter_context(serve_site(url, run.folder / "logs" / f"{name}.log")), url


def _start_baselines(
    stack: ExitStack, site_server: Server, url: str, members: Sequence[Visitor], run: Run
) -> list[Contender]:
    """Start the apps that do only a part of the work, and the site without kept pages."""
    front_page = f"{site_server.origin}/"
    static, plain, login, tuned = (
        stack.enter_context(serve_baseline(factory, run.folder / "logs" / f"{factory}.log", **{FRONT_PAGE: front_page}))
        for factory in ("static_response", "plain_flask", "flask_with_login", "tuned_flask_with_login")
    )
    one_thread = stack.enter_context(
        serve_baseline("static_response", run.folder / "logs" / "one-thread.log", "1", **{FRONT_PAGE: front_page})
    )
    uncached = stack.enter_context(serve_site(url, run.folder / "logs" / "uncached.log", VOTEWEB_PAGE_SECONDS="0"))
    visitors, tuned_visitors = (log_in_members(app.origin, voter_names(), path="/log-in/{}") for app in (login, tuned))
    return [
        page_contender(STATIC, "bare WSGI, the front page's bytes", static, ["/"]),
        page_contender("one-thread", "bare WSGI, one thread", one_thread, ["/"], (), STATIC),
        page_contender(PLAIN, "bare Flask", plain, ["/"]),
        page_contender(LOGIN, "Flask, session, login, CSRF", login, ["/"], visitors),
        page_contender("tuned", "the same, with voteweb's Flask", tuned, ["/"], tuned_visitors, LOGIN),
        page_contender("front-uncached", "front page, reader, not cached", uncached, ["/"], (), PLAIN),
        page_contender("front-member-unshared", "front page, member, not shared", uncached, ["/"], members, LOGIN),
    ]


def _page_contenders(server: Server, site: Site, store: Store, members: Sequence[Visitor]) -> list[Contender]:
    thread = newest_ids(store, VOTED_ON)[0]
    write_thread(store, thread)
    pages = {
        "front": ("front page", ["/"]),
        "new": ("/new", ["/new"]),
        "group": ("a group", [f"/g/{site.profile.group}"]),
        "combined": ("two groups combined", [f"/g/{site.profile.combined}"]),
        "article": ("an article", [f"/a/{id}" for id in newest_ids(store, VOTED_ON // 2)]),
        "thread": (f"a conversation of {THREAD_SIZE}", [f"/a/{thread}"]),
    }
    return [
        contender
        for key, (label, paths) in pages.items()
        for contender in (
            page_contender(f"{key}-reader", f"{label}, reader", server, paths, (), STATIC),
            page_contender(f"{key}-member", f"{label}, member", server, paths, members, LOGIN),
        )
    ]


def _list_of_program(server: Server, tokens: Mapping[str, str]) -> Contender:
    requests = [sessions.program_request("GET", "/articles", token) for token in tokens.values()]
    return Contender("api-list", "api list, member", server, lambda: requests, LOGIN, expected_text='"own":')


def _cast_own_votes(store: Store, members: Sequence[Visitor]) -> None:
    """Cast votes of every member for some articles of the front page, as members of a real site have."""
    articles = cycle(open_front_ids(store)[::2])
    for member in members:
        for id in islice(articles, OWN_VOTES):
            store.votes.cast(id, store.users.get(member.name))


def _vote_contenders(
    server: Server, store: Store, members: Sequence[Visitor], tokens: Mapping[str, str]
) -> list[Contender]:
    """Return votes for articles that are not on the front page, and votes on the front page with pages between."""
    on_front = {article.id for article in front_articles(store)}
    articles = [id for id in newest_ids(store, 2 * VOTED_ON + len(on_front)) if id not in on_front]
    form = VoteWorkload(store, members, articles[::2], sessions.vote_form_request)
    script = VoteWorkload(store, members, articles[1::2], sessions.vote_script_request)
    program = VoteWorkload(
        store,
        members,
        articles[::2],
        lambda member, id, action: sessions.program_request(
            {"vote": "PUT", "unvote": "DELETE"}[action], f"/articles/{id}/vote", tokens[member.name]
        ),
    )
    mixed = _mixed_workload(server, store, members)
    return [
        _writer("vote-form", "vote by form", server, form, FORM_ACCEPTED),
        _writer("vote-script", "vote by script", server, script, PAGE_SHOWN),
        _writer("api-vote", "api vote", server, program, PAGE_SHOWN),
        replace(
            _writer("mixed", f"a vote, the voter's next page, {OTHER_PAGES} of others", server, mixed, (200, 303)),
            expected_text="Your vote has been taken back.",
        ),
    ]


def _writer(key: str, label: str, server: Server, workload: VoteWorkload, statuses: tuple[int, ...]) -> Contender:
    return Contender(key, label, server, workload.make_requests, LOGIN, statuses, workload.count_mismatches)


def _mixed_workload(server: Server, store: Store, members: Sequence[Visitor]) -> VoteWorkload:
    """Return votes by form on the front page, each followed by the voter's next page and those of other members."""
    articles = open_front_ids(store)[1::2]
    pages = {}
    for n, member in enumerate(members):
        others = islice(cycle(members), n + 1, n + 1 + OTHER_PAGES)
        cookies = [
            sessions.cookie_after_vote(server.origin, member, articles[0]),
            *(other.lasting_cookie for other in others),
        ]
        pages[member.name] = [Request("/", headers={"Cookie": cookie}) for cookie in cookies]
    make_request = partial(sessions.vote_form_request, page="/")
    return VoteWorkload(store, members, articles, make_request, lambda member: pages[member.name], brief=True)


def _posting_contender(server: Server, run: Run) -> Contender:
    members = log_in_members(server.origin, voter_names())
    count, group = round(MAX_POST_RATE * max(run.seconds, 1)), run.stories.profile.group

    def make_requests() -> list[Request]:
        return [sessions.submit_request(member, group) for member in islice(cycle(members), count)]

    return Contender("submit", "post an article", server, make_requests, LOGIN, FORM_ACCEPTED)
