"""The deletion of a group with articles in it: they leave it in bounded steps, and stay on the site."""

from collections.abc import Iterator

from voteweb.core.errors import ArticleGone, GroupNotEmpty, NoSuchArticle
from voteweb.store.articles.articles import Articles
from voteweb.store.articles.groups import Groups
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.keys import article_id, is_article
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.site.context import Context, StorePart


class GroupDeletion(StorePart):
    """Deletes groups of one site, for its operator."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._articles = Articles(context)
        self._groups = Groups(context)

    def steps(self, name: str, entry: NewLogEntry) -> Iterator[int]:
        """Take each article out of the group *name*, yielding its id, and then delete the group, logging *entry*.

        May be cut off anywhere and done again. Raises NoSuchGroup, and GroupNotEmpty if something in the group is no
        article: the doctor tells.
        """
        scanner = Scanner(self._connection)
        while True:
            count = 0
            for member in scanner.members(self._keys.group(name)):
                if is_article(member) and self._take_out(article_id(member), name):
                    count += 1
                    yield article_id(member)
            try:
                self._groups.delete(name, entry)
            except GroupNotEmpty:  # somebody has posted into it meanwhile
                if not count:
                    raise
            else:
                return

    def _take_out(self, id: int, name: str) -> bool:
        try:
            self._articles.set_groups(id, [], [name])
        except (NoSuchArticle, ArticleGone):
            return False
        return True
