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

from voteweb.core import validation
from voteweb.core.errors import Invalid, VotewebError
from voteweb.core.models import Article, Draft, Reason
from voteweb.core.validation import is_form_token, new_form_token
from voteweb.web import rate_limits
from voteweb.web.i18n.formatting import error_message

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
        refused = rate_limits.exceeded()
        if refused is not None:
            self.refuse(refused)
        return valid and refused is None

    @property
    def status(self) -> int:
        """The HTTP status of a page that shows this form."""
        refused = rate_limits.exceeded()
        return refused.status if refused else 422 if self.errors else 200

    def refuse(self, error: VotewebError, name: str = "") -> None:
        """Show *error* beside the field *name*, or above the form."""
        if name:
            self[name].errors = [*self[name].errors, error_message(error)]
        else:
            self.form_errors.append(error_message(error))


def checked(check: Callable[[str], str]) -> Callable[[Any, Any], None]:
    """Return a validator that stores the checked value in the field or shows why it is refused."""

    def validate(_form: Any, field: Any) -> None:
        try:
            field.data = check(field.data or "")
        except Invalid as error:
            raise ValidationError(error_message(error)) from None

    return validate


class SubmitForm(Form):
    """A new article."""

    title = StringField(_l("Title"), [checked(validation.title)])
    link = StringField(_l("Link"), [checked(validation.link)])
    text = TextAreaField(_l("Text"), [checked(validation.text)])
    groups = SelectMultipleField(_l("Groups"), validate_choice=False)
    once = HiddenField(default=new_form_token, filters=[lambda token: token if is_form_token(token or "") else new_form_token()])

    def set_groups(self, names: Sequence[str]) -> None:
        """Set the groups to choose from."""
        self.groups.choices = [SelectChoice(name) for name in names]

    def draft(self) -> Draft:
        """Return the valid fields as an article to be posted or saved."""
        return Draft(self.title.data, self.link.data, self.text.data, tuple(self.groups.data))

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


class ReportForm(Form):
    """Why a member reports an article."""

    reason = RadioField(_l("Reason"), choices=[SelectChoice(reason.value, words) for reason, words in REASONS.items()])
    note = StringField(_l("Note (if it helps)"), [checked(validation.note)])


class PasswordForm(Form):
    """A new password, by whoever knows the old one."""

    old = PasswordField(_l("Present password"))
    new = PasswordField(_l("New password"), [checked(validation.password)])


class ResetForm(Form):
    """A new password, by whoever holds a one-time link."""

    new = PasswordField(_l("New password"), [checked(validation.password)])


class DeleteAccountForm(Form):
    """The deletion of an account."""

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

    username = StringField(_l("User name"), [checked(validation.user_name)])
    password = PasswordField(_l("Password"), [checked(validation.password)])


class GroupForm(Form):
    """Title and description of a group."""

    title = StringField(_l("Title"), [checked(validation.group_title)])
    description = TextAreaField(_l("Description"), [checked(validation.group_description)])


class NewGroupForm(GroupForm):
    """A new group: its name can never be changed."""

    name = StringField(_l("Name"), [checked(validation.group_name)])

