"""Turn records of a backup into the commands that write them, together with every ranking that must hold them."""

from collections.abc import Iterator

from voteweb.core import links
from voteweb.core.comments import CommentId
from voteweb.core.config import DELETED_MEMBER, MAX_RANKED, NEWEST_COMMENTS, VOTER_BLOCK, Settings
from voteweb.core.models import ArticleStatus, Role
from voteweb.store import decoding
from voteweb.store.backup import records
from voteweb.store.backup.key_writes import KeyWrites
from voteweb.store.backup.records import BackupRecord
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.fingerprints import from_number
from voteweb.store.keys import Keys, article_member, comment_member, invitation_member
from voteweb.store.nodes import VOTER_FACTOR, join_node
from voteweb.store.rankings import Rankings
from voteweb.store.scanner import finite_number
from voteweb.store.schema.digests import EMAIL_FOR
from voteweb.store.users import HAS_WORK

#: The nouns of rankings that hold articles of programs after the book.
BOOK_RANKINGS = frozenset({"time", "score", "good"})


class RestoreBatch(KeyWrites):
    """Some records, as the keys that they become."""

    def __init__(self, keys: Keys, settings: Settings) -> None:
        super().__init__()
        self._keys = keys
        self._settings = settings
        self._top: set[str] = set()

    @property
    def listed(self) -> int:
        """How many of the articles are in the rankings of the site."""
        return len(self._rankings[self._keys.by_time()])

    def commands(self) -> Iterator[Command]:
        """Yield the commands that write the batch; running them twice changes nothing."""
        yield from super().commands()
        for key in self._top:
            yield scripts.call("repair_top", [key], [MAX_RANKED])
        if self._rankings[self._keys.comments()]:
            yield ("ZREMRANGEBYRANK", self._keys.comments(), 0, -NEWEST_COMMENTS - 1)

    def add(self, record: BackupRecord) -> None:
        """Add *record* to the batch."""
        keys = self._keys
        match record:
            case records.Form():
                self._add_string(keys.once(record.member, record.token), _answer(record), record.until)
            case records.Fingerprints():
                for row in map(from_number, record.rows):
                    self._sets[keys.imported(row.bucket)].append(row.member)
            case records.Invitation():
                self._add_invitation(record)
            case records.Reset():
                self._add_string(keys.reset(record.digest), f"{record.name} {record.state}", record.until)
            case records.Reported():
                self._sets[keys.reported(record.name)] += record.articles
            case records.ReportedComments():
                self._sets[keys.reported_comments(record.name)] += record.comments
            case records.Inbox():
                self._add_list(keys.inbox(record.name), record.entries, record.until)
                self._add_list(keys.unread(record.name), record.unread, record.until)
            case records.Visits():
                self._hashes[keys.seen(record.name)] = record.threads
                self._expire(keys.seen(record.name), record.until)
            case records.OwnList():
                times = {entry: float(time) for entry, time in record.entries.items()}
                self._rankings[_own_list_key(keys, record)] |= times
            case records.DomainRule():
                self._hashes.setdefault(keys.domain_rules(), {})[record.domain] = record.rule
            case records.SiteSwitch():
                self._hashes.setdefault(keys.site(), {})[record.name] = record.switch
            case records.Notes():
                self._hashes[keys.notes(record.name)] = record.notes
            case records.Thread():
                self._hashes.setdefault(keys.thread(record.article), {}).update(record.fields)
            case records.Comment():
                self._add_comment(record)
            case records.Article():
                self._add_article(record)
            case records.Group():
                self._sets[keys.groups()].append(record.name)
                self._hashes[keys.group_info(record.name)] = {"title": record.name} | record.fields
                if record.alias:
                    self._hashes.setdefault(keys.group_aliases(), {})[record.alias] = record.name
            case records.Member():
                self._add_member(record)
            case records.LogEntry():
                # Entries come in any order: the end of the restore puts them into theirs.
                self._hashes[keys.log_entry(record.id)] = record.fields
            case records.Key():
                self._add_key(record)
            case records.Counters():
                self._add_counters(record)

    def _add_invitation(self, record: records.Invitation) -> None:
        self._hashes[self._keys.invite(record.digest)] = record.fields
        by, until = record.fields.get("by"), finite_number(record.fields.get("until"))
        if by and until is not None:
            self._rankings[self._keys.invites(by)][invitation_member(record.digest)] = until

    def _add_member(self, record: records.Member) -> None:
        keys, fields = self._keys, record.fields
        self._hashes[keys.user(record.name)] = {name: value for name, value in fields.items() if name != EMAIL_FOR}
        if record.leaving:
            self._sets[keys.leaving()].append(record.name)
        if "id" in fields and "left" not in fields:
            self._rankings[keys.users()][record.name] = finite_number(fields.get("since")) or 0.0
            if "inbox-feed" in fields:
                self._strings[keys.inbox_feed(fields["inbox-feed"])] = record.name
            if "saved-feed" in fields:
                self._strings[keys.saved_feed(fields["saved-feed"])] = record.name
            if HAS_WORK.match(fields.get("ban-removal", "")):
                self._sets[keys.ban_removals()].append(record.name)
            is_banned = fields.get("banned", "0") != "0"
            if fields.get("role") == Role.ADMIN and (not is_banned or "banned-until" in fields):
                self._sets[keys.admins()].append(record.name)
            if "held" in fields and not is_banned:
                self._rankings[keys.held()][record.name] = finite_number(fields["held"]) or 0.0

    def _add_comment(self, record: records.Comment) -> None:
        keys, fields, id = self._keys, record.fields, CommentId(record.article, record.number)
        thread = self._hashes.setdefault(keys.thread(id.article), {})
        thread[str(id.number)] = join_node(fields)
        for field in {"reason", "removed-by"} & fields.keys():
            thread[f"{field}:{id.number}"] = fields[field]
        if "text" in fields:
            self._hashes.setdefault(keys.words(id.article), {})[str(id.number)] = fields["text"]
        if record.voters is not None:
            key = keys.voted_comments(id.article, id.number // VOTER_BLOCK)
            self._sets[key] += [0, *(id.number * VOTER_FACTOR + voter for voter in record.voters)]
            self._expire(key, record.voters_until)
        if record.reports:
            self._hashes[keys.comment_report(*id)] = record.reports
            self._rankings[keys.reports()][comment_member(*id)] = len(record.reports)
        # By time until the end of the restore makes lists of them.
        time = finite_number(fields.get("time")) or 0.0
        self._rankings[keys.comments()][str(id)] = time
        author = fields.get("author", "")
        if author not in ("", DELETED_MEMBER) and "d" not in fields.get("state", ""):
            self._rankings[keys.commented(author)][str(id)] = time

    def _add_article(self, record: records.Article) -> None:
        keys, member = self._keys, article_member(record.id)
        # The end of the restore counts the comments.
        fields = {name: value for name, value in record.fields.items() if name != "comments"}
        self._hashes[keys.article(record.id)] = fields
        if record.voters:
            self._sets[keys.voted(record.id)] += record.voters
            self._expire(keys.voted(record.id), record.voters_until)
        if record.reports:
            self._hashes[keys.report(record.id)] = record.reports
            self._rankings[keys.reports()][member] = len(record.reports)
        article = decoding.article(record.id, [fields.get(name) for name in decoding.FIELDS])
        if article is None:  # it was broken in the backed-up site: the doctor reports it there as here
            return
        rankings = Rankings(keys)
        scores = rankings.scores_of(article, self._settings, fields.get("link", ""))
        if "base" not in fields:  # written by a program after the book, which knows fewer rankings
            scores = {key: score for key, score in scores.items() if keys.split(key)[0] in BOOK_RANKINGS}
        for key, score in scores.items():
            self._rankings[key][member] = score
        self._top.update(scores.keys() & set(rankings.top(article)))
        if article.is_listed:
            for group in article.groups:
                self._sets[keys.group(group)].append(member)
        if article.poster not in ("", DELETED_MEMBER):
            self._rankings[rankings.key_of_poster(article)][member] = article.time
        answered = finite_number(fields.get("answered"))
        if article.status is ArticleStatus.REMOVED and "answer" in fields and answered is not None:
            self._rankings[keys.answers()][member] = answered
        if record.linked:
            key = keys.link(links.digest(fields.get("link", "")))
            self._rankings[key][member] = article.time // 1
            self._expire(key, record.linked_until)

    def _add_key(self, record: records.Key) -> None:
        key = self._keys.prefix + record.name
        items = record.items
        match record.type:
            case "string":
                self._strings[key] = items[0]
            case "bits":
                self._strings[key] = bytes.fromhex(items[0])
            case "set":
                self._sets[key] += items
            case "hash":
                self._hashes[key] = self._hashes.get(key, {}) | dict(zip(items[::2], items[1::2], strict=True))
            case "list":
                self._lists.append((key, record.first, items))
            case "zset":
                self._rankings[key] |= {m: float(score) for m, score in zip(items[::2], items[1::2], strict=True)}
        self._expire(key, record.until)

    def _add_counters(self, record: records.Counters) -> None:
        counters = {
            self._keys.last_article_id(): record.articles,
            self._keys.last_user_id(): record.members,
        }
        self._strings |= {key: count for key, count in counters.items() if count}


def _answer(form: records.Form) -> str:
    """Return what the site answers when the form is sent again."""
    return comment_member(form.article, form.comment) if form.comment else article_member(form.article)


def _own_list_key(keys: Keys, record: records.OwnList) -> str:
    """Return the key of a list that a member keeps for themselves."""
    key = {"follows": keys.follows, "hides": keys.hides, "saved": keys.saved}[record.noun]
    return key(record.name)
