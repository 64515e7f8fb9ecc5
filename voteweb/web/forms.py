"""The forms of the site: their fields and labels. :mod:`voteweb.core.validation` checks what is typed."""

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
from voteweb.core.validation import is_submission_token, new_submission_token
from voteweb.web import rate_limits
from voteweb.web.i18n.formatting import error_message

#: The labels of the reasons to report an article.
REASON_LABELS = {
    Reason.SPAM: _l("Spam"),
    Reason.BROKEN: _l("Broken link"),
    Reason.POSTED: _l("Already posted"),
    Reason.TOPIC: _l("Off topic"),
    Reason.RULES: _l("Against the rules"),
}


class Form(FlaskForm):
    """A form that shows errors beside its fields, and those of the whole form above them."""

    def validate(self, extra_validators: Any = None) -> bool:
        """Check every field, and whether a rate limit refuses this request."""
        is_valid = bool(super().validate(extra_validators))
        refusal = rate_limits.exceeded()
        if refusal is not None:
            self.refuse(refusal)
        return is_valid and refusal is None

    @property
    def status(self) -> int:
        """The HTTP status of a page that shows this form."""
        refusal = rate_limits.exceeded()
        return refusal.status if refusal else 422 if self.errors else 200

    def refuse(self, error: VotewebError, name: str = "") -> None:
        """Show *error* beside the field *name*, or above the form."""
        if name:
            self[name].errors = [*self[name].errors, error_message(error)]
        else:
            self.form_errors.append(error_message(error))


def checked(check: Callable[[str], str]) -> Callable[[Any, Any], None]:
    """Return a validator that replaces a field's value by the result of *check*, or shows its error."""

    def validate(_form: Any, field: Any) -> None:
        try:
            field.data = check(field.data or "")
        except Invalid as error:
            raise ValidationError(error_message(error)) from None

    return validate


def _valid_form_token(token: str | None) -> str:
    return token if token and is_submission_token(token) else new_submission_token()


class SubmitForm(Form):
    """A new article; ``once`` identifies the form, so that sending it again leads to the same article."""

    title = StringField(_l("Title"), [checked(validation.title)])
    link = StringField(_l("Link"), [checked(validation.link)])
    text = TextAreaField(_l("Text"), [checked(validation.text)])
    groups = SelectMultipleField(_l("Groups"), validate_choice=False)
    once = HiddenField(default=new_submission_token, filters=[_valid_form_token])

    def set_groups(self, names: Sequence[str]) -> None:
        self.groups.choices = [SelectChoice(name) for name in names]

    def draft(self) -> Draft:
        """Return the fields, which must be valid, as an article to be posted or saved."""
        return Draft(self.title.data, self.link.data, self.text.data, tuple(self.groups.data))

    def validate(self, extra_validators: Any = None) -> bool:
        """Check every field, and that there is a link or a text."""
        is_valid = bool(super().validate(extra_validators))
        if is_valid and not (self.link.data or self.text.data):
            self.link.errors = [_l("An article needs a link or a text.")]
            return False
        return is_valid


class EditForm(SubmitForm):
    """Changes to an article."""

    def fill(self, article: Article) -> None:
        """Show *article* as it is now."""
        self.title.data, self.link.data, self.text.data = article.title, article.link, article.text
        self.groups.data = list(article.groups)


class ReportForm(Form):
    """A member's report of an article."""

    reason = RadioField(
        _l("Reason"), choices=[SelectChoice(reason.value, label) for reason, label in REASON_LABELS.items()]
    )
    note = StringField(_l("Note (optional)"), [checked(validation.note)])


class PasswordForm(Form):
    """A new password, confirmed by the current one."""

    old = PasswordField(_l("Current password"))
    new = PasswordField(_l("New password"), [checked(validation.password)])


class ResetForm(Form):
    """A new password, set by a one-time link."""

    new = PasswordField(_l("New password"), [checked(validation.password)])


class DeleteAccountForm(Form):
    """The deletion of an account, confirmed by its password."""

    password = PasswordField(_l("Password"))
    articles = RadioField(
        _l("Your articles"),
        choices=[
            SelectChoice("keep", _l("Keep them, with “[deleted]” instead of your name")),
            SelectChoice("delete", _l("Delete them too")),
        ],
    )


class LoginForm(Form):
    """Name and password of a member; its errors do not tell which of them is wrong."""

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
    """A new group; its name cannot be changed later."""

    name = StringField(_l("Name"), [checked(validation.group_name)])
