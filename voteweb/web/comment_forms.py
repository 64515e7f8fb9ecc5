"""The form of a comment: written as an answer to an article or a comment, or edited."""

from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, TextAreaField

from voteweb.core import validation
from voteweb.core.errors import LoggedOut, VotewebError
from voteweb.core.validation import is_submission_token, new_submission_token
from voteweb.web.forms import Form, checked


def _valid_form_token(token: str | None) -> str:
    return token if token and is_submission_token(token) else new_submission_token()


class CommentForm(Form):
    """A comment; ``once`` identifies the form, so that sending it again leads to the same comment."""

    text = TextAreaField(_l("Your comment"), [checked(validation.comment)])
    once = HiddenField(default=new_submission_token, filters=[_valid_form_token])

    def refuse(self, error: VotewebError, name: str = "") -> None:
        """Show *error*, and answer with its status; whoever is logged out gets 422, since 401 asks for a password."""
        super().refuse(error, name)
        if not isinstance(error, LoggedOut):
            self._status = error.status


def quotation(words: str) -> str:
    """Return *words* as a quotation in Markdown, with room for an answer below."""
    return "".join(f"> {line}".rstrip() + "\n" for line in words.split("\n")) + "\n" if words else ""
