"""``voteweb article`` and ``voteweb group``: remove and purge articles; list, merge and delete groups, set aliases."""

from collections import deque

import click

from voteweb.cli.output import bounded, confirm, list_options, pick, print_rows, track, yes_option
from voteweb.cli.site import Site, log_entry, pluralize, with_site
from voteweb.core import validation
from voteweb.core.errors import ArticleGone, GroupMerged, NoSuchArticle, NoSuchGroup
from voteweb.core.models import Article, Group, LogAction

_ID = click.IntRange(1, 2**53)


@click.group()
def article() -> None:
    """Remove and purge articles, by the number in their address.

    Removals and purges are shown in the site's public log.
    """


@article.command()
@click.argument("id", type=_ID)
@click.option("--reason", required=True, help="The reason; everybody can read it.")
@with_site()
def remove(site: Site, id: int, reason: str) -> None:
    """Take the article with the number ID off every list; moderators can restore it."""
    found = _get_article(site, id)
    if found.is_removed or found.is_deleted:
        raise ArticleGone()
    reason = validation.reason(reason)
    entry = log_entry(LogAction.REMOVE, about=found.poster, article=id, title=found.title, why=reason)
    site.store.removals.remove(id, entry)
    click.echo(f"Removed {id}, “{found.title}”.")


@article.command()
@click.argument("id", type=_ID)
@click.option("--reason", required=True, help="The reason; everybody can read it.")
@click.option("--with-comments", is_flag=True, help="Delete all comments on it, too.")
@yes_option
@with_site()
def purge(site: Site, id: int, reason: str, with_comments: bool, yes: bool) -> None:
    """Take every word of the article with the number ID out of the site for good.

    That is its title, link and text, earlier versions, and its title in the log; each machine builds its index of
    search anew. Reasons in the log stay. Backups made before keep the words.

    It can be interrupted and run again: the article goes last, and only then it is in the log as purged. What was
    removed or deleted before is purged, too.
    """
    found, reason = _get_article(site, id), validation.reason(reason)
    comments = " and its comments" if with_comments else ""
    confirm(f"Delete {id}, “{found.title}” by {found.poster},{comments} for good? This cannot be undone.", yes)
    entry = log_entry(LogAction.PURGE, about=found.poster, article=id, why=reason)
    for _ in track(site.store.removals.purge(id, entry, with_comments=with_comments), "Purging", found.comments + 1):
        pass
    click.echo(f"Purged {id}. Backups made before still have its words.")
    if site.environment.redis_url or not site.store.health.rewrite_file():
        click.echo("So has the append-only file of the database until it is rewritten: redis-cli BGREWRITEAOF.")


def _get_article(site: Site, id: int) -> Article:
    """Return an article, listed or not; raise NoSuchArticle."""
    found = site.store.read(site.store.articles.queue_get, id)
    if found is None:
        raise NoSuchArticle()
    return found


@click.group()
def group() -> None:
    """List, merge and delete groups, and give them aliases.

    Changes are shown in the site's public log.
    """


@group.command("list")
@list_options
@with_site()
def list_(site: Site, limit: int, skip: int, as_json: bool) -> None:
    """List the groups by name, with their aliases and their numbers of articles."""
    pipeline = site.store.pipeline()
    aliases = site.store.groups.queue_aliases(pipeline)
    groups = site.store.groups.all(pipeline)
    rows = [
        pick(group, "name", "title", "articles")
        | {"aliases": _aliases_of(group, aliases.result), "description": group.description}
        for group in bounded(groups, skip, limit)
    ]
    print_rows(rows, as_json)


@group.command()
@click.argument("name")
@click.argument("alias", required=False)
@click.option("--remove", is_flag=True, help="Remove ALIAS, or all aliases that the group has.")
@with_site()
def alias(site: Site, name: str, alias: str | None, remove: bool) -> None:
    """Give the group NAME the second name ALIAS, under which it is found, too."""
    if alias is None and not remove:
        raise click.UsageError("Name an ALIAS, or use --remove.")
    found, new = _get_group(site, name), validation.new_group_name(alias) if alias else ""
    aliases = site.store.read(site.store.groups.queue_aliases)
    kept = [other for other in _aliases_of(found, aliases) if other != new and alias] + ([] if remove else [new])
    entry = log_entry(LogAction.GROUP, title=found.name)
    site.store.groups.change(found.name, found.title, found.description, entry, aliases=kept)
    click.echo(f"{found.name} is found under {', '.join(kept)}, too." if kept else f"{found.name} has no alias now.")


@group.command()
@click.argument("name")
@click.argument("into")
@yes_option
@with_site()
def merge(site: Site, name: str, into: str, yes: bool) -> None:
    """Merge the group NAME into the group INTO, which gets its articles and followers, and its name as an alias.

    It begins at once, other than that of an admin. It can be interrupted: the background jobs go on.
    """
    name, target = validation.group_name(name), _get_group(site, into).name
    (found,) = site.store.read(site.store.groups.queue_get, [name])
    count = found.articles if found else 0
    confirm(f"Merge {name}, with {pluralize(count, 'article')}, into {target}? No command undoes this.", yes)
    target = site.store.group_merges.start(name, target, log_entry(LogAction.MERGE_GROUP, title=name))
    deque(track(site.store.group_merges.steps_of(name), "Moving", count, lambda moved: moved), maxlen=0)
    click.echo(f"Merged {name} into {target}.")


@group.command("stop-merge")
@click.argument("name")
@with_site()
def stop_merge(site: Site, name: str) -> None:
    """Stop the merge of the group NAME that an admin has planned."""
    found = _get_group(site, name)
    entry = log_entry(LogAction.STOP_MERGE, title=found.name, undoes=found.merge.entry if found.merge else 0)
    site.store.planned_merges.stop(found.name, entry)
    click.echo(f"Stopped the merge of {found.name}.")


@group.command()
@click.argument("name")
@yes_option
@with_site()
def delete(site: Site, name: str, yes: bool) -> None:
    """Delete the group NAME; its articles stay, without this group.

    It can be interrupted and run again: until all articles have left it, the group is there with the others, and
    nothing is in the log.
    """
    found = _get_group(site, name)
    if found.name != validation.group_name(name):  # a moderator may have merged it since: the other group stays
        raise GroupMerged(name=name, group=found.name)
    confirm(f"Delete {found.name}, with {pluralize(found.articles, 'article')} in it, which stay?", yes)
    steps = site.store.groups.delete_in_steps(found.name, log_entry(LogAction.DELETE_GROUP, title=found.name))
    count = sum(1 for _ in track(steps, "Emptying", found.articles))
    click.echo(f"Deleted {found.name}; {pluralize(count, 'article')} left it.")


def _aliases_of(group: Group, aliases: dict[str, str]) -> list[str]:
    return sorted(alias for alias, name in aliases.items() if name == group.name)


def _get_group(site: Site, typed: str) -> Group:
    """Return the group with the name, or the alias, that was *typed*; raise NoSuchGroup."""
    (name,) = site.store.groups.resolve([validation.group_name(typed)])
    (found,) = site.store.read(site.store.groups.queue_get, [name])
    if found is None:
        raise NoSuchGroup(names=name)
    return found
