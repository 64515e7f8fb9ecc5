"""Pages of articles that members share: each is rendered once for all who see the same.

:mod:`voteweb.web.caching.shared_pages` keeps them. The viewer's own parts are filled in, among them the comments.
"""

import weakref

from voteweb.core import config, permissions
from voteweb.core.models import Article, Role, User
from voteweb.core.ranking import voting_end
from voteweb.core.validation import new_submission_token
from voteweb.store.comments.threads import SENT_THREAD
from voteweb.web.base.context import now, settings, store
from voteweb.web.caching import front_titles, own_parts, shared_pages
from voteweb.web.caching.fragment_cache import render as render_fragment
from voteweb.web.caching.own_parts import Part
from voteweb.web.caching.shared_pages import Variant
from voteweb.web.i18n import formatting, locale
from voteweb.web.pages.conversations import ChosenPage, ShownConversation


def may_share(user: User | None, article: Article) -> bool:
    """Tell whether *user* may get the page of *article* that is made for all members."""
    if user is None or user.role is not Role.MEMBER or user.held:
        return False
    choice = store().my_sites.of(user)
    is_plain = choice is not None and not choice.is_hidden(article)
    return is_plain and article.is_listed and not permissions.is_poster(user, article)


def render(user: User | None, article: Article, conversation: ShownConversation | None) -> bytes:
    """Return the page of *article*, with the marks of *user*, and its conversation for *user*, who may share it."""
    context = {"article": article, "earlier": (), **({"conversation": conversation} if conversation else {})}
    # The lane would take two round trips for a long conversation that has changed, and the view two more.
    in_lane = conversation is None or len(conversation.thread.nodes) <= SENT_THREAD
    variant, rendered_of = inputs(article, conversation.chosen if conversation else None)
    pieces = shared_pages.article_pieces(variant, rendered_of, _until(article, conversation), context, in_lane=in_lane)
    return own_parts.fill(pieces, {**own_parts.parts(), **own(user, article, conversation)})


def inputs(article: Article, chosen: ChosenPage | None) -> tuple[Variant, object]:
    """Return the variant of the page, and all else that it is rendered of, to be compared.

    A reference to the conversation equals another one as long as the cache of conversations keeps it, which bounds how
    many there are.
    """
    tree, order = (weakref.ref(chosen.tree), chosen.order) if chosen else (None, "")
    return (article.voted, article.saved, order), (article, tree, settings().weights, settings().face)


def own(user: User | None, article: Article, conversation: ShownConversation | None) -> dict[str, Part]:
    """Return the parts of the page of an article that are made for *user*."""
    titles = front_titles.beside(article.id).encode()
    parts: dict[str, Part] = {"once": [new_submission_token().encode()], front_titles.FRONT: [titles]}
    if conversation and conversation.page.rows:
        parts["comments"] = conversation.encoded_comments(user, conversation.is_open)
        has_new = conversation.new_here or conversation.new_elsewhere
        code, template = locale.current().code, "comments/_parts.html#new_comments"
        parts["new"] = [render_fragment(template, code, conversation=conversation).encode() if has_new else b""]
    return parts


def _until(article: Article, conversation: ShownConversation | None) -> float:
    """Return when the page will say something else, though article and conversation stay as they are."""
    ends = [voting_end(article, settings())]
    if conversation:
        closing = permissions.closing_time(article, conversation.thread, settings())
        ends += [closing - config.CLOSING_SOON_SECONDS, closing]
    ages = [time + formatting.next_age(now() - time) for time in (article.time, article.edited)]
    return min([*ages, *(end for end in ends if end > now())])
