"""The forms: which fields each has; what a field may hold is said in fields.py."""

from collections.abc import Callable, Sequence
from typing import Any

from flask_babel import lazy_gettext as _l
from flask_wtf import FlaskForm
from wtforms import (
    HiddenField,
    PasswordField,
    RadioField,
    SelectChoice,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import ValidationError

from voteweb import config, fields, gate
from voteweb.errors import Invalid, VotewebError
from voteweb.fields import fresh_token, is_token
from voteweb.i18n import refusal
from voteweb.models import Article, Reason

#: The reasons to report an article, in words.
REASONS = {
    Reason.SPAM: _l("Spam"),
    Reason.BROKEN: _l("Broken link"),
    Reason.POSTED: _l("Already posted"),
    Reason.TOPIC: _l("Off topic"),
    Reason.RULES: _l("Against the rules"),
}


class Form(FlaskForm):
    """A form whose errors stand beside its fields, the form's own errors above them."""

    def validate(self, extra_validators: Any = None) -> bool:
        """Check every field, and whether a limit refuses that the form was sent at all."""
        valid = bool(super().validate(extra_validators))
        refused = gate.excess()
        if refused is not None:
            self.refuse(refused)
        return valid and refused is None

    @property
    def status(self) -> int:
        """The HTTP status of a page that shows this form."""
        refused = gate.excess()
        return refused.status if refused else 422 if self.errors else 200

    def refuse(self, error: VotewebError, name: str = "") -> None:
        """Show *error* beside the field *name*, or above the form."""
        if name:
            self[name].errors = [*self[name].errors, refusal(error)]
        else:
            self.form_errors.append(refusal(error))


def checked(check: Callable[[str], str]) -> Callable[[Any, Any], None]:
    """Return a validator that stores the checked value in the field or shows why it is refused."""

    def validate(_form: Any, field: Any) -> None:
        try:
            field.data = check(field.data or "")
        except Invalid as error:
            raise ValidationError(refusal(error)) from None

    return validate


class SubmitForm(Form):
    """A new article."""

    title = StringField(_l("Title"), [checked(fields.title)])
    link = StringField(_l("Link"), [checked(fields.link)])
    text = TextAreaField(_l("Text"), [checked(fields.text)])
    groups = SelectMultipleField(_l("Groups"), validate_choice=False)
    once = HiddenField(default=fresh_token, filters=[lambda token: token if is_token(token or "") else fresh_token()])

    def offer(self, names: Sequence[str]) -> None:
        """Offer the existing groups *names*."""
        self.groups.choices = [SelectChoice(name) for name in names]

    def validate(self, extra_validators: Any = None) -> bool:
        """Check every field, and that there is a link or a text."""
        valid = bool(super().validate(extra_validators))
        if valid and not (self.link.data or self.text.data):
            self.link.errors = [_l("An article needs a link or a text.")]
            return False
        return valid


class EditForm(SubmitForm):
    """An article that is there already."""

    def fill(self, article: Article) -> None:
        """Show what the article is now."""
        self.title.data, self.link.data, self.text.data = article.title, article.link, article.text
        self.groups.data = list(article.groups)


class ReasonForm(Form):
    """Why a moderator does something: shown in the public log."""

    reason = StringField(_l("Reason"), [checked(fields.reason)])


class ReportForm(Form):
    """Why a member reports an article."""

    reason = RadioField(_l("Reason"), choices=[SelectChoice(reason.value, words) for reason, words in REASONS.items()])
    note = StringField(_l("Note (if it helps)"), [checked(fields.note)])


class PasswordForm(Form):
    """A new password, by whoever knows the old one."""

    old = PasswordField(_l("Present password"))
    new = PasswordField(_l("New password"), [checked(fields.password)])


class ResetForm(Form):
    """A new password, by whoever holds a one-time link."""

    new = PasswordField(_l("New password"), [checked(fields.password)])


class LeaveForm(Form):
    """The end of an account."""

    password = PasswordField(_l("Password"))
    articles = RadioField(
        _l("Your articles"),
        choices=[
            SelectChoice("keep", _l("stay, under “[deleted]” instead of your name")),
            SelectChoice("delete", _l("are deleted too")),
        ],
    )


class LoginForm(Form):
    """Name and password of a member; nothing is said about which of them is wrong."""

    username = StringField(_l("User name"))
    password = PasswordField(_l("Password"))


class SignupForm(Form):
    """Name and password of a new member."""

    username = StringField(_l("User name"), [checked(fields.user_name)])
    password = PasswordField(_l("Password"), [checked(fields.password)])


class GroupForm(Form):
    """Title and description of a group."""

    title = StringField(_l("Title"), [checked(fields.group_title)])
    description = TextAreaField(_l("Description"), [checked(fields.group_description)])


class NewGroupForm(GroupForm):
    """A new group: its name can never be changed."""

    name = StringField(_l("Name"), [checked(fields.group_name)])


#: What the templates tell browsers about the lengths of fields.
LENGTHS = {
    "title": config.TITLE_LENGTH[1],
    "link": config.LINK_MOST,
    "username": config.USER_NAME_LENGTH[1],
    "name": config.GROUP_NAME_MOST,
    "description": config.GROUP_DESCRIPTION_MOST,
}
