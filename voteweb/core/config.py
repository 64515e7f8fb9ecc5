"""Product numbers, each with its unit and reason; the settings of a site are in :mod:`voteweb.core.settings`.

Changing one may make stored data or addresses invalid.
"""

#: The layout of the data that this version reads and writes: a change of layout raises it and has a conversion.
SCHEMA = 8
#: The oldest layout of backups that this version restores: later ones changed derived keys, and spellings of domains.
OLDEST_BACKUP = 5
#: Characters of a title: at least a word, at most two lines on a phone.
MIN_TITLE_LENGTH = 2
MAX_TITLE_LENGTH = 200
#: Characters of an excerpt, such as feeds have of each longer text: whole ones would be megabytes.
EXCERPT_LENGTH = 1_000
#: Characters of a text article: about seven printed pages.
MAX_TEXT_LENGTH = 20_000
#: Characters of a comment: about three printed pages.
MAX_COMMENT_LENGTH = 10_000
#: Comments of a conversation: its skeleton is read at once, in 2 ms of Redis.
MAX_COMMENTS = 10_000
#: Levels of replies, from 1; deeper ones cannot be followed by anybody.
MAX_COMMENT_LEVEL = 50
#: Comments on a page of a conversation: of 300 characters each, they are a quarter of a megabyte at most.
COMMENTS_ON_PAGE = 100
#: Top-level comments on a page, and levels of replies; deeper ones have a page of their own.
TOP_LEVEL_ON_PAGE = 25
LEVELS_ON_PAGE = 6
#: Titles of the front page beside an article.
FRONT_TITLES = 5
#: Seconds before a conversation ends from which its page says so above the comments, not below them.
CLOSING_SOON_SECONDS = 2 * 86_400
#: Votes that a comment stands with at least, for so many seconds: its author, and others, find it near the top.
NEW_COMMENT_VOTES = 2
NEW_COMMENT_SECONDS = 1_800
#: Ancestors that the page of one comment shows above it.
SHOWN_ANCESTORS = 3
#: Comments whose voters share one set: Redis keeps a set of up to 512 integers in 10 bytes for each.
VOTER_BLOCK = 512
#: The site's newest comments that are kept in a list, and comments on a page of such a list.
NEWEST_COMMENTS = 10_000
COMMENT_PAGE_SIZE = 25
#: Members that one comment can notify by naming them, and places of a text that may name members: each takes time.
MAX_MENTIONS = 5
MAX_MENTION_PLACES = 50
#: Entries that an inbox holds, on a page of it, and seconds for which it holds them.
INBOX_SIZE = 200
INBOX_PAGE_SIZE = 25
INBOX_SECONDS = 90 * 86_400
#: Members who are told what became of their reports of one thing.
MAX_TOLD_REPORTERS = 50
#: Seconds after a page first showed a comment for which it stays marked as long as the visit goes on, and in which
#: another page of the thread without anything new is not noted; threads whose visits are remembered, and for how long;
#: ranges of a visit.
MARKED_SECONDS = 1_800
VISIT_NOTED_SECONDS = 60
MAX_VISITED_THREADS = 200
MAX_SEEN_RANGES = 64
#: Comments by hidden members that the numbers of new ones on a page of articles leave out, at 1 µs each.
MAX_CHECKED_NEW = 500
VISITED_SECONDS = 30 * 86_400
#: Characters of the texts that a page shows as a whole; of each further one it shows an excerpt. Steps of the parser of
#: Markdown, at up to 6 µs, that a page takes for texts; further ones stay plain.
MAX_PAGE_CHARACTERS = 100_000
MAX_PAGE_STEPS = 12_000
#: Threads that a worker keeps, as computed from the database, with their comments at half a kilobyte each, and the
#: bytes of each of three caches: rendered texts, comments as a conversation shows them, and pages of these.
THREAD_CACHE_SIZE = 64
THREAD_CACHE_COMMENTS = 30_000
#: Characters up to which the words of such a thread are kept too.
MAX_KEPT_WORDS = 100_000
RENDERED_COMMENT_CACHE_BYTES = 8 * 2**20
#: Characters of an article's text that its description for search engines has.
DESCRIBED_TEXT_LENGTH = 300
#: Characters of a link: browsers and other sites handle this many without trouble.
MAX_LINK_LENGTH = 2_000
#: Fetching the title of a link: seconds for all of it, bytes of the page (compressed or not), redirects, and how many
#: at a time in each process. Titles are at the beginning of pages; people who wait longer type faster.
FETCH_SECONDS = 5.0
MAX_FETCHED_BYTES = 512 * 1024
MAX_REDIRECTS = 5
MAX_FETCHES = 2
#: Characters of a user name.
MIN_USER_NAME_LENGTH = 2
MAX_USER_NAME_LENGTH = 20
#: Characters of a password: hashing an unbounded one would keep the server busy.
MIN_PASSWORD_LENGTH = 8
MAX_PASSWORD_LENGTH = 256
#: Passwords that a process hashes at once, at 20 MiB and 20 ms of a core each, and seconds for which others wait.
MAX_HASHES = 2
HASH_WAIT_SECONDS = 2.0
#: Characters of a group's name, its title and its description.
MAX_GROUP_NAME_LENGTH = 30
MAX_GROUP_TITLE_LENGTH = 60
MAX_GROUP_DESCRIPTION_LENGTH = 300
#: Second names of one group: those of all groups are read at once.
MAX_ALIASES = 20
#: Groups that a moderator's form can name: each is four keys of a script.
MAX_TYPED_GROUPS = 50
#: Articles that one command looks through for those without a group, in 0.6 ms of Redis, commands of one page, groups
#: offered as buttons beside an article, and earlier articles by which they are chosen.
SORT_STEP = 250
SORT_STEPS = 8
SORT_CHIPS = 12
SORT_EARLIER = 10
#: Groups that one address can combine: more would match ever fewer articles under ever more addresses.
MAX_COMBINED_GROUPS = 4
#: Seconds for which the ranking of combined groups is cached.
GROUP_CACHE_SECONDS = 60
#: Articles of the smallest group that take part in a combined ranking: making it blocks Redis for less than 1 ms.
MAX_COMBINED_ARTICLES = 500
#: Other articles with the same link, on an article's page and in the form to post.
POSTED_BEFORE = 3
#: Good articles on their own page, and beside the front page.
GOOD_LISTED = 50
GOOD_ON_FRONT = 10
#: Articles that a ranking by votes holds: ten pages of the best of a day, of a group, of all time.
MAX_RANKED = 250
#: Seconds for which the best articles of a period are kept; articles that one step of making them takes up, 0.3 ms of
#: Redis; and steps in a round trip of the page that makes those of a group.
BEST_SECONDS = 600
BEST_STEP = 100
BEST_STEPS = 12
#: Combined rankings that are kept at a time: 6 MB of Redis at most, however many combinations are asked for.
MAX_COMBINATIONS = 100
#: Groups that a member can follow: the page of all of them reads as many rankings.
MAX_FOLLOWED_GROUPS = 50
#: Pages of the list of all groups that a member follows: the last one reads so many pages of each group.
MAX_MY_PAGES = 20
#: Things that a member can hide, at about 100 bytes each. When there are so many, the article that was hidden first is
#: shown again: by then it stands far down.
MAX_HIDDEN = 500
#: Articles that a member can save for later, at about 100 bytes each.
MAX_SAVED = 2_000
#: Members whose follows and hides a worker keeps: 50 KB for one who hides as much as possible.
MY_SITE_CACHE_SIZE = 1_000
#: Seconds for which an article's voters are kept after voting ends, so that no vote meets a set that is expiring.
VOTERS_GRACE_SECONDS = 3_600
#: Votes that a member's own list of those to be taken back holds. A sorted set of more than 128 takes 90 bytes for each
#: instead of 27, and every vote of a week stands in such a list.
MAX_OPEN_VOTES = 120
#: Votes that a ban can give back: those on which voting ends last.
MAX_REVOKED_VOTES = 1_000
#: Seconds for which a submitted form is remembered, so that sending it again leads to the same article.
ONCE_SECONDS = 86_400
#: Seconds for which the answer of an act is remembered, so that a retry changes nothing: far longer than any retry.
DONE_SECONDS = 600
#: Seconds for which a posted link is remembered: a member who posts it again is shown the earlier article.
LINK_SECONDS = 30 * 86_400
#: Versions of an article before its edits that are kept for moderators, and for how long after the last edit: enough
#: to see which words were exchanged, and no archive of words that members took back.
EARLIER_VERSIONS = 5
EARLIER_SECONDS = 30 * 86_400
#: Characters and lines of what members say about themselves.
MAX_ABOUT_LENGTH, MAX_ABOUT_LINES = 300, 3
#: Characters of a reason and of a report's note.
MAX_REASON_LENGTH = 300
#: Newest of a member's own articles among which their page shows the removed ones.
SHOWN_REMOVALS = 50
#: Rows on a page of each section of the queue, but for reports. Seconds in which a refused log-in can answer the ban.
QUEUE_SIZE = 25
BAN_ANSWER_SECONDS = 3_600
#: Characters of the sentence that somebody who signs up writes to the moderators, at least; at most MAX_REASON_LENGTH.
MIN_REQUEST_LENGTH = 10
#: Newest of a poster's articles in no list among which their page shows those that wait for a moderator.
MAX_HELD_SHOWN = 50
#: Domain rules, which one page reads at once in 0.3 ms of Redis, and rules on a page.
MAX_DOMAIN_RULES = 1_000
RULE_PAGE_SIZE = 50
#: Seconds before a rule from which it may remove articles, and how many: the rule holds their ids until it is done.
RULE_REMOVAL_SECONDS = 7 * 86_400
MAX_RULE_REMOVALS = 500
#: Labels of the longest domain that can have a rule: every link is looked up under so many names at most.
MAX_RULE_LABELS = 5
#: Characters of a host name, as DNS has it.
MAX_HOST_LENGTH = 253
#: Notes of moderators on one member; each has as many characters as a reason.
MAX_NOTES = 50
#: Characters of a typed search, and its terms, among them those that end with a star; letters before a star. Each term
#: reads a list of the index.
MAX_QUERY_LENGTH = 200
MAX_TERMS = 12
MAX_PREFIXES = 4
MIN_PREFIX_LENGTH = 3
#: Newest matches of a search that are put into order by relevance, and most voted ones of the others.
MAX_RANKED_MATCHES = 2_000
MAX_VOTED_MATCHES = 500
#: Results below which a search looks for more than was typed.
FEW_MATCHES = 5
#: Results up to which a search counts and has pages.
MAX_COUNTED = 1_000
#: Seconds for which a search may work, and for which it may work once more without ranking.
SEARCH_SECONDS = 0.15
UNRANKED_SEARCH_SECONDS = 0.05
#: Searches that a process makes at a time, and seconds for which others wait.
MAX_SEARCHES = 2
SEARCH_WAIT_SECONDS = 0.5
#: Characters of a text that a result shows, and characters up to which a text is looked through for the best place.
SNIPPET_LENGTH = 160
MAX_MARKED_LENGTH = 2_000
#: Documents of one full-text index: to rank a word reads all of it that the index has, to find a rare one each index.
SHARD_ROWS = 100_000
#: Days after which a ban can end.
MAX_BAN_DAYS = 3_650
#: Comments that are counted for a form of a ban, of all its members together: each takes a microsecond of Redis.
MAX_COUNTED_COMMENTS = 10_000
#: Seconds in which a moderator can undo an act.
UNDO_SECONDS = 600
#: Newest entries of the log among which the acts of a member are undone together: 10 ms of Redis, in small steps.
UNDONE_ENTRIES = 5_000
#: Acts that are shown before they are undone.
SHOWN_ACTS = 250
#: Seconds for which an invitation is valid, and a one-time link for a new password.
INVITATION_SECONDS = 14 * 86_400
RESET_SECONDS = 86_400
#: Seconds after joining from which a member may invite others, where the site lets members invite.
INVITER_SECONDS = 7 * 86_400
#: Seconds for which moderators see who else signed up from a member's network: as long as new accounts act together.
SIGNUP_NETWORK_SECONDS = 30 * 86_400
#: Other members of a network that a page names.
MAX_NEIGHBOURS = 25
#: Unix seconds of the year 3000: a later publish time is in milliseconds, or no time at all.
MAX_TIME = 32_503_680_000
#: Votes of an article: every score below stays exact.
MAX_VOTES = 10**12
#: Seconds by which an article may be later than the database's clock: other sites' clocks may be ahead.
CLOCK_SKEW_SECONDS = 86_400
#: Unix seconds of the year 10,000: a later time in an import is in milliseconds. Times after MAX_TIME are accepted for
#: --shift-to-now, which moves them.
MAX_IMPORTED_TIME = 253_402_300_800
#: Votes of an imported article: more than there are people would be a mistake.
MAX_IMPORTED_VOTES = 10**9
#: Ids of members whose names one sorted set has: Redis keeps one of up to 128 compact, at some 20 bytes for each.
MEMBER_BLOCK = 100
#: Voters of an article on the page about them, and those that are looked through for the newest members.
SHOWN_VOTERS = 200
SCANNED_VOTERS = 2_048
#: Last votes of a member that are compared with those of others, and votes that a page compares in all: reading them
#: takes some milliseconds.
LAST_VOTES = 50
COMPARED_VOTES = 5_000
#: Votes of an article with more of which a vote tells nothing, articles that two members must have voted for, and votes
#: of a site with fewer of which nothing tells what is popular.
MAX_COMPARED_VOTES = 100
MIN_COINCIDENCES = 3
MIN_SITE_VOTES = 50
#: Looks at votes that admins see, seconds for which they do, and looks on a page.
MAX_LOOKS = 10_000
LOOK_SECONDS = 90 * 86_400
LOOK_PAGE_SIZE = 50
#: Members on a page of a list, and commands of READ_BATCH_SIZE members with which a name is searched for: 50,000.
MEMBER_PAGE_SIZE = 50
MEMBER_SCAN_STEPS = 100
#: Days that the statistics show, and seconds for which a day's counters are kept.
STATISTICS_DAYS = 30
STATISTICS_SECONDS = 400 * 86_400
#: Attempts to log in that admins see, seconds for which they do, and attempts on a page: 100 bytes each.
MAX_LOG_INS = 10_000
#: Of each member, attempts that logged in, and as many that did not: strangers' attempts push none of them out.
MAX_MEMBER_LOG_INS = 100
LOG_IN_SECONDS = 30 * 86_400
LOG_IN_PAGE_SIZE = 50
#: Characters of a network's digest that are shown, enough to tell networks of a month apart.
NETWORK_DIGEST_LENGTH = 8
#: Newest members among whom admins see who invited whom: 30 ms of Redis.
MAX_TREE_MEMBERS = 1_000
#: Log entries on a page, and pages of changed roles that are read to find the moderators when somebody signs up.
LOG_PAGE_SIZE = 25
#: Entries of the log that one search looks through, and those that one command reads, in 0.7 ms of Redis.
LOG_SEARCHED = 5_000
LOG_STEP = 250
MAX_ROLE_PAGES = 20
#: Invitations on a page.
INVITATION_PAGE_SIZE = 25
#: Open reports that are shown of one article in the queue, and on a page of their own.
QUEUED_REPORTS = 5
REPORT_PAGE_SIZE = 50
#: Newest articles from which other weights of the ranking are tried; how many one command reads, in 0.7 ms of Redis;
#: commands of one round trip; the seconds of its past from which a site's posting is judged; and those after which an
#: article has most of its votes.
MAX_TRIAL_ARTICLES = 10_000
TRIAL_STEP = 100
TRIAL_STEPS = 5
TRIAL_SECONDS = 30 * 86_400
TRIAL_SETTLED_SECONDS = 86_400
#: Votes of a good article, and of a good comment, at most.
MAX_GOOD_VOTES = 1_000_000
#: Days by which votes may lift an article: a century.
MAX_LIFT_DAYS = 36_500
#: Characters of the announcement that every page shows: one line on a desk, three on a phone.
MAX_ANNOUNCEMENT_LENGTH = 120
#: Characters of the name of a site, which stands in the header of every page.
MAX_SITE_NAME_LENGTH = 60
#: Earlier texts of a page that an admin wrote which are kept: enough to take a slip back, and no archive.
EARLIER_TEXTS = 5
#: Who may join.
SIGNUP_MODES = ("open", "approve", "invite", "closed")
#: First articles of a new member that can be held, at most.
MAX_HOLD_POSTS = 100
#: Digits of the highest page number that is looked up.
MAX_PAGE_DIGITS = 9
#: A unix time in an address.
TIME_PATTERN = r"[0-9]{1,12}(?:\.[0-9]{1,12})?"
#: Attempts of a script whose keys have changed since they were read, before Conflict is raised.
MAX_SCRIPT_ATTEMPTS = 20
#: Articles read at a time where all of a week or of a member are read.
READ_BATCH_SIZE = 500
#: Seconds after which the background job of a process that was killed is free for another: longer than any step.
LEASE_SECONDS = 30
#: Seconds after which background jobs that have nothing to do are noted as done again, all with one write.
NOTE_SECONDS = 60
#: Seconds after which /healthz names a background job that was not done and that nobody runs.
OVERDUE_SECONDS = 120
#: Characters of an e-mail address (RFC 5321), and seconds for which the link that confirms one is valid.
MAX_EMAIL_LENGTH = 254
EMAIL_SECONDS = 86_400
#: Seconds in which the link works that is mailed to an address once it is the member's no more, and how many addresses
#: have one at a time: of more changes the oldest ones, so that nobody gets rid of the first by further ones.
FORMER_EMAIL_SECONDS = 7 * 86_400
MAX_FORMER_EMAILS = 5
#: Mails that members asked for and that wait, at about 200 bytes each: more are a flood, or the server has been away.
MAX_OUTBOX = 1_000
#: Seconds for which a mail belongs to the process that sends it: one that is killed delays it by so much. Seconds that
#: each answer of the mail server may take.
MAIL_CLAIM_SECONDS = 600
SMTP_SECONDS = 10.0
#: Attempts to send a mail, in half a day: seconds after the first, which double up to the second number. A mail is
#: dropped after MAX_MAIL_AGE: its link is no longer valid.
MAIL_TRIES = 12
MAIL_RETRY_SECONDS = 60
MAX_MAIL_RETRY_SECONDS = 7_200
MAX_MAIL_AGE = 86_400
#: Seconds for which mails fail before /healthz says so, and mails that one run of the job sends.
MAIL_FAILING_SECONDS = 300
MAILS_PER_RUN = 100
#: Seconds for which browsers and feed readers may cache a feed, and the sitemap.
FEED_SECONDS = 60
SITEMAP_SECONDS = 3_600
#: Seconds for which proxies may keep readers' pages and feeds: deleted words are in them, as in a worker's cached ones.
SHARED_SECONDS = 1
#: Readers' pages that a worker caches, and their bytes (uncompressed): the pages that a busy site serves in a second.
PAGE_CACHE_SIZE = 1_000
PAGE_CACHE_BYTES = 32 * 2**20
#: Bytes of the pages that a worker keeps for all members: lists, and articles without their comments.
SHARED_PAGES_BYTES = 24 * 2**20
#: Cold pages: the seconds for which a page is none after somebody read it, the networks whose cold pages a process
#: counts, and the pages of which it knows that somebody read them.
COLD_SECONDS = 60
COLD_NETWORKS = 10_000
WARM_PAGES = 4_096
#: Entries of a worker's caches for the pages that are read most, at about a kilobyte each: rows as read from Redis;
#: what guides reads, such as the ids last seen at a position of a ranking, and the comments that a viewer voted for;
#: rendered rows, by their values and by their articles; and fragments that are part of every page. Rows of 80 pages are
#: kept: with four times as many, a crawler makes each worker 18 MB larger for rows that nobody asks for again.
ROW_CACHE_SIZE = 2_048
HINT_CACHE_SIZE = 1_024
#: Seconds for which a worker remembers which articles a member voted for, in case another program changes it.
OWN_VOTES_SECONDS = 60
#: 2.2 KB each. With half as many, what people read is rendered twice as often; twice as many save 0.3 % of a core in a
#: crawl of 20 pages a second.
RENDERED_ROW_CACHE_SIZE = 2_048
FRAGMENT_CACHE_SIZE = 1_024
#: Cached articles' pages, the part that is the same for everybody; a text can be 100 kilobytes of HTML.
ARTICLE_FRAGMENT_CACHE_SIZE = 128
#: Entries of a worker's caches of values that browsers send: session cookies whose signature is verified, form
#: tokens, and what votes redirect to.
SESSION_CACHE_SIZE = 4_096
#: Addresses in one part of the sitemap: a hundred parts for a million articles.
SITEMAP_SIZE = 10_000
#: Parts of the sitemap: the protocol's limit, enough for 500 million articles.
MAX_SITEMAPS = 50_000
#: Seconds for which a browser remembers the chosen language: a year.
LANGUAGE_SECONDS = 365 * 86_400
#: Seconds for which browsers may cache a static file, whose address changes with its content: a year.
STATIC_SECONDS = 365 * 86_400
#: Seconds for which browsers may cache an icon at a fixed address, and the web manifest.
ICON_SECONDS = 86_400
#: Lifetime in seconds of the cookie with a message for the next page, such as that of a vote.
FLASH_COOKIE_SECONDS = 60
#: Seconds for which browsers must use https (HSTS): a year, as the preload lists require.
HTTPS_ONLY_SECONDS = 365 * 86_400
#: Bytes of a page that the operator wrote: more is no page, and would take a second to render.
MAX_OPERATOR_PAGE_BYTES = 100_000
#: Bytes of a picture of a brand, which every visitor loads, and of its settings.
MAX_BRAND_IMAGE_BYTES = 100_000
MAX_BRAND_SETTINGS_BYTES = 20_000
#: Characters of a brand's text below every page, which is some lines.
MAX_BRAND_FOOTER_LENGTH = 600
#: Links of a brand in the footer, and characters of the name of one.
MAX_BRAND_LINKS = 10
MAX_BRAND_LINK_NAME_LENGTH = 40
#: Days for which a copy of security.txt is valid: RFC 9116 recommends less than a year.
SECURITY_TXT_DAYS = 180
#: Seconds for which /healthz caches its warnings about the database; whether it answers is checked each time.
HEALTH_SECONDS = 10
#: Seconds for which a database without an append-only file may keep changes in memory alone: twice the hour after which
#: Redis makes a snapshot unless it is told otherwise.
UNSAVED_SECONDS = 7_200
#: Seconds that the clocks of this machine and of the database may differ without a warning.
CLOCK_SECONDS = 5
#: Characters of the key that signs cookies: a guessed key gives access to every account.
MIN_SECRET_KEY_LENGTH = 16
#: Sessions that a member can have open, one in each browser: after another log-in, the least recently used one ends.
MAX_SESSIONS = 20
#: Seconds after which a session ends even if it is used: a year. A use is noted at most once a day.
MAX_SESSION_SECONDS = 365 * 86_400
SESSION_USE_SECONDS = 86_400
#: The beginning of the paths of the API, where no cookie counts, and bytes of the longest body of its requests.
API_PATH, MAX_API_BODY_BYTES = "/api/v1", 65_536
#: Rows of a list of the API unless it asks for fewer or more, and at most.
API_ROWS, MAX_API_ROWS = 25, 100
#: Programs to which a member can give a token, the days after which each ends at most, and characters of its name.
MAX_PROGRAMS, MAX_PROGRAM_DAYS, MAX_PROGRAM_NAME_LENGTH = 20, 365, 40
#: Characters of the token of a program: its two parts are shorter.
MAX_PROGRAM_TOKEN_LENGTH = 200
#: Seconds from the plan of a merge of groups, which any moderator can stop until then, to its beginning.
MERGE_DELAY_SECONDS = 86_400
#: Seconds after giving the password in which bans, merges, and acts of admins alone do not ask for it again.
PASSWORD_CHECK_SECONDS = 3_600
#: Seconds after signing up in which the first recovery codes need no password.
SIGNED_UP_SECONDS = 600
#: Seconds in which a log-in can be completed by a code of the second factor, and in which one can be set up.
CODE_SECONDS = 600
SET_UP_SECONDS = 3_600
#: Seconds for which a network is remembered as one from which a member has logged in: a quarter of a year.
KNOWN_NETWORK_SECONDS = 90 * 86_400
#: Seconds for which a browser is remembered as one in which a member has logged in: a year.
DEVICE_COOKIE_SECONDS = 365 * 86_400
#: Seconds in which a reader can log in or sign up for the vote that they have pressed.
PENDING_VOTE_SECONDS = 3_600
#: Characters of the token of such a vote: two ids of 19 digits, the time and the signature.
MAX_PENDING_VOTE_LENGTH = 200
#: Shown in place of the name of a member who left; no member can have this name.
DELETED_MEMBER = "[deleted]"
#: Name in the log for acts of the command line.
COMMAND_LINE = "command line"
#: Characters of the token for /metrics, so that it cannot be guessed.
MIN_METRICS_TOKEN_LENGTH = 16
#: The environment variable with the folder in which workers share their metrics; prometheus-client defines the name.
METRICS_DIR_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
#: The environment variable in which "voteweb run" tells its workers where each setting is from, as JSON.
SOURCES_VARIABLE = "VOTEWEB_SETTING_SOURCES"
#: The environment variable in which "voteweb run" tells its workers and its jobs the id of the site.
SITE_ID_VARIABLE = "VOTEWEB_SITE_ID"
#: If this environment variable is set, an unexpected failure of a command prints its traceback.
TRACEBACK_VARIABLE = "VOTEWEB_TRACEBACK"
#: Variables named like settings that are none: those of commands and of our tests.
OTHER_VARIABLES = frozenset({TRACEBACK_VARIABLE, "VOTEWEB_TEST_NO_SKIP", SOURCES_VARIABLE, SITE_ID_VARIABLE})
#: Variables of settings that were ended in version 0.2.0.
ENDED_VARIABLES = frozenset(
    f"VOTEWEB_{name}"
    for name in """COMMENTS_ON_PAGE COMMENT_VOTE_SCORE GOOD_LISTED GOOD_ON_FRONT GROUP_CACHE_SECONDS LOG_KEPT
    SECURITY_CONTACT SHARE_IMAGE""".split()
)
#: Characters of an address in a line of the log, so that lines of several workers do not mix when written at once.
MAX_LOGGED_PATH_LENGTH = 400
#: Bytes of an address, path and query, and of all headers of a request: as many as proxies pass by default.
MAX_URL_BYTES = 8_000
MAX_HEADER_BYTES = 16_000
#: Characters of a path to return to: the bookmarklet's form with title and link, percent-encoded; encoded once more, it
#: fits into an address.
MAX_RETURN_LENGTH = 4_000
#: Characters of a path or header that anybody can send, up to which it is the key of something cached.
MAX_CACHED_LENGTH = 1_000
#: Bytes of a request's body: MAX_TEXT_LENGTH characters, percent-encoded at up to 12 bytes each, and the other fields.
MAX_BODY_BYTES = 300_000
#: Fields of a form, and of one that has fields for each row of a page, as the one that sorts articles: some nine a row.
MAX_FIELDS = 1_000
MAX_ROW_FIELDS = 15
#: The header in which the proxy names the visitor's address. WSGI makes one name of "-" and "_": a visitor could send
#: the other spelling of a name that has either, and a proxy that replaces its own would pass that on.
ADDRESS_HEADER = "VisitorAddress"
#: Seconds for which a process reports a proxy that sent no address: a quiet one may not see that it does so again.
NAMELESS_PROXY_SECONDS = 600
#: Names that no member can take: they look like the site itself, or like a path.
RESERVED_NAMES = frozenset(
    """about account admin administrator anonymous api ban comments deleted domains feed good groups guide healthz help
    hidden inbox invitations language log login logout me members metrics mod moderator moderators my new nobody
    operator privacy queue recover reports reset root rules saved search signup sort staff static stats submit support
    system top undefined votes voteweb waiting webmaster www you
    管理员 管理員 版主 站长 站長 系统 系統 官方 匿名""".split()
)
