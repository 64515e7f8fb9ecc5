"""The forms that are shown again with errors: fields and labels. ``voteweb.core.validation`` checks what is typed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Self

from flask import g, request
from flask_babel import lazy_gettext as _l
from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import (
    HiddenField,
    PasswordField,
    RadioField,
    SelectChoice,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import DataRequired, ValidationError

from voteweb.core import validation
from voteweb.core.errors import N_, Conflict, Invalid, LoggedOut, NotAllowed, StaleEdit, TooFast, TooLate, VotewebError
from voteweb.core.mail import email_address
from voteweb.core.models import Article, Draft, Reason, Right, Role
from voteweb.core.validation import is_submission_token, new_submission_token, pasted
from voteweb.store.schema.fields import ARTICLE_WORDS, words_of
from voteweb.web.base.context import settings
from voteweb.web.i18n import locale
from voteweb.web.i18n.formatting import RIGHT_NAMES, error_message
from voteweb.web.requests import rate_limits, site_switches

#: The labels of the reasons to report an article.
REASON_LABELS = {
    Reason.SPAM: _l("Spam"),
    Reason.BROKEN: _l("Broken link"),
    Reason.POSTED: _l("Already posted"),
    Reason.TOPIC: _l("Off topic"),
    Reason.RULES: _l("Against the rules"),
}


class CommentReason(StrEnum):
    """The reason of a report of a comment, which has no link and is no second posting."""

    SPAM = Reason.SPAM.value
    TOPIC = Reason.TOPIC.value
    RULES = Reason.RULES.value


class Form(FlaskForm):
    """A form that shows errors beside its fields, and those of the whole form above them."""

    class Meta(FlaskForm.Meta):
        """The language of WTForms' own messages, whose catalogues it keeps; Flask-WTF would load one for each page."""

        @property
        def locales(self) -> list[str]:
            return [locale.current().code]

    _status = 422
    #: The field that the page shows first, if that is not the first one here.
    first_field = ""

    def __init__(self, **values: Any) -> None:
        # Only what an HTML form sends: Flask-WTF would also read JSON and files, whose values are no text, and which
        # rate limits, that look for the token in the form, do not count.
        submitted = (request.form or None) if request.method == "POST" else None
        super().__init__(values.pop("formdata", submitted), **values)

    def validate(self, extra_validators: Any = None) -> bool:
        """Check the token, then whether a rate limit refuses this request, and only then every field.

        If a field is refused, also ask *extra_validators*, by field, what the act would refuse of the others: a form
        names all its errors at once. Of a form without an error the act alone decides.
        """
        if not self._may_be_sent():
            return self._record(False)
        return self._record(self._check_all(extra_validators or {}))

    def _check_all(self, extra_validators: Mapping[str, Any]) -> bool:
        is_valid = self._check_fields()
        for name, asks in () if is_valid else extra_validators.items():
            if not self[name].errors:
                self[name].validate(self, asks)
        return is_valid

    def _check_fields(self) -> bool:
        return bool(super().validate())

    @classmethod
    def of_body(cls, **fields: Any) -> Self:
        """Return the form with the *fields* of the body of a program's request, which needs no form token."""
        return cls(formdata=MultiDict(fields), meta={"csrf": False})

    def require_valid(self, **extra_validators: Any) -> None:
        """Raise Invalid with the messages of all fields that are wrong; *extra_validators* as for :meth:`validate`."""
        if not self._check_all(extra_validators):
            raise Invalid.of_fields({field.name: " ".join(map(str, field.errors)) for field in self if field.errors})

    def validate_only(self, *names: str) -> bool:
        """Check this form, which asks something before it is sent, as :meth:`validate` does, but only these fields."""
        if not self._may_be_sent():
            return self._record(False)
        accepted = [self[name].validate(self) for name in names]
        return self._record(all(accepted))

    def _record(self, is_valid: bool) -> bool:
        """Remember a refused form, for the title and the focus of the page; return *is_valid*."""
        if not is_valid:
            g.refused_form = self
        return is_valid

    @property
    def wrong_fields(self) -> list[Any]:
        """The fields with errors, as they follow one another on the page."""
        wrong = [field for field in self if field.errors and field.name != "csrf_token"]
        return sorted(wrong, key=lambda field: field.name != self.first_field)

    def _may_be_sent(self) -> bool:
        if not self.csrf_token.validate(self):
            return False
        refusal = _refusal()
        if refusal is not None:
            self.refuse(refusal)
        return refusal is None

    @property
    def status(self) -> int:
        """The HTTP status of a page that shows this form."""
        refusal = _refusal()
        return refusal.status if refusal else self._status if self.errors else 200

    def refuse(self, error: VotewebError, name: str = "") -> None:
        """Show *error* beside the field *name*, or above the form."""
        self._record(False)
        if isinstance(error, TooFast):
            rate_limits.record_exceeded(error)
        if isinstance(error, Conflict) and "once" in self:
            # Nothing was written, or the token is that of a form of another kind: it would be refused for ever.
            self["once"].data = new_submission_token()
        if name:
            self[name].errors = [*self[name].errors, error_message(error)]
        else:
            self.form_errors.append(error_message(error))
            if isinstance(error, NotAllowed | StaleEdit | TooLate):
                self._status = error.status


def _refusal() -> VotewebError | None:
    """Return why this request is refused before its fields are checked: a site that is read-only, or a limit."""
    return site_switches.refusal() or rate_limits.exceeded()


def checked(check: Callable[[Any], Any], *refusals: type[VotewebError]) -> Callable[[Any, Any], None]:
    """Return a validator that replaces a field's value by the result of *check*, or shows its error.

    Such errors are Invalid, and *refusals*.
    """
    shown: tuple[type[VotewebError], ...] = (Invalid, *refusals)

    def validate(_form: Any, field: Any) -> None:
        try:
            field.data = check(field.data or "")
        except shown as error:
            raise ValidationError(error_message(error)) from None

    return validate


def _link(form: Any, field: Any) -> None:
    """Check a typed link; the one that an article has already is kept, as an import or an older version accepted it."""
    if field.data != form.stored_link:
        checked(validation.typed_link)(form, field)


def _title(form: Any, field: Any) -> None:
    """Check a typed title; the one that an article has already is kept, as its link is."""
    if not form.stored_title or field.data != form.stored_title:
        checked(validation.title)(form, field)


def _new_password(form: Any, field: Any) -> None:
    """Refuse a password that is the name of the member who chooses it, or the site's."""
    checked(lambda typed: validation.password(typed, form.member_name, settings().site_name))(form, field)


def _valid_form_token(token: str | None) -> str:
    return token if token and is_submission_token(token) else new_submission_token()


class SubmitForm(Form):
    """A new article; ``once`` identifies the form, so that sending it again leads to the same article."""

    link = StringField(_l("Link"), [_link])
    title = StringField(_l("Title"), [_title])
    text = TextAreaField(_l("Text"), [checked(validation.text)])
    groups = SelectMultipleField(_l("Groups"), validate_choice=False)
    once = HiddenField(default=new_submission_token, filters=[_valid_form_token])
    #: The link and the title that the article has already.
    stored_link = stored_title = ""
    #: The earlier article with this link, if that refuses the form.
    duplicate: Article | None = None
    #: Whether the article will wait for a moderator, as far as its poster decides that.
    waits = False

    def set_groups(self, names: Sequence[str]) -> None:
        self.groups.choices = [SelectChoice(name) for name in names]

    @property
    def has_completed_link(self) -> bool:
        """Whether the checked link was typed without its scheme."""
        typed = pasted(str((self.link.raw_data or [""])[0])).lower()
        return bool(self.link.data) and not typed.startswith(("http://", "https://"))

    def draft(self) -> Draft:
        """Return the fields, which must be valid, as an article to be posted or saved."""
        return Draft(**{name: self[name].data for name in ARTICLE_WORDS}, groups=tuple(self.groups.data))

    def _check_fields(self) -> bool:
        """Check every field, and that there is a link or a text."""
        is_valid = super()._check_fields()
        if self.link.data or self.text.data:
            return is_valid
        self.refuse_empty()
        return False

    def refuse_empty(self) -> None:
        self.refuse(Invalid(N_("An article needs a link or a text.")), "link")


def parse_revision(typed: str | int | None) -> int:
    """Return the revision that a form carries; a form of before revisions were counted shows the first."""
    return int(typed) if typed and re.fullmatch("[0-9]{1,15}", str(typed)) else 0


class EditForm(SubmitForm):
    """Changes to an article; ``revision`` tells whether somebody else has changed it since the form was shown.

    ``reason`` is a moderator's, for the log.
    """

    reason = StringField(_l("Reason (optional, in the public log)"), [checked(validation.note)])
    revision = HiddenField(filters=[parse_revision])
    #: The article as it is now, if somebody else has.
    current: Article | None = None

    def fill(self, article: Article, aliases: Mapping[str, str]) -> None:
        """Show *article*; a group of it that is being merged is an alias by now."""
        for name, text in words_of(article).items():
            self[name].data = text
        self.groups.data = [aliases.get(name, name) for name in article.groups]
        self.revision.data = article.revision

    def compare(self, current: Article, error: StaleEdit) -> None:
        """Show what was typed beside the article as it is now, which is replaced if the form is sent again."""
        self.refuse(error)
        self.current = current
        self.revision.data = current.revision


class CommentForm(Form):
    """A comment; ``once`` identifies the form, so that sending it again leads to the same comment."""

    text = TextAreaField(_l("Your comment"), [checked(validation.comment)])
    once = HiddenField(default=new_submission_token, filters=[_valid_form_token])

    def refuse(self, error: VotewebError, name: str = "") -> None:
        """Show *error*, and answer with its status; that of LoggedOut is 422, since 401 asks for a password."""
        super().refuse(error, name)
        if not isinstance(error, LoggedOut):
            self._status = error.status


def _reason_field(reasons: Iterable[Reason]) -> RadioField:
    choices = [SelectChoice(reason.value, REASON_LABELS[reason]) for reason in reasons]
    return RadioField(_l("Reason"), choices=choices)


class ReportForm(Form):
    """A member's report of an article."""

    reason = _reason_field(Reason)
    note = StringField(_l("Note (optional)"), [checked(validation.note)])


class CommentReportForm(ReportForm):
    """A member's report of a comment."""

    reason = _reason_field(map(Reason, CommentReason))


class AnswerForm(Form):
    """A poster's answer to the removal of their article, or to edits of it."""

    answer = TextAreaField(_l("Your answer to the moderators"), [checked(validation.request)])


class AboutForm(Form):
    """The lines of a member about themselves."""

    about = TextAreaField(_l("A few lines about you"), [checked(validation.about)])


class PageTextForm(Form):
    """The text of one of the site's own pages."""

    text = TextAreaField(_l("Text"), [checked(validation.text)])


class ResetForm(Form):
    """A new password of the member *member_name*, set by a one-time link."""

    new = PasswordField(_l("New password"), [_new_password])

    def __init__(self, member_name: str, **options: Any) -> None:
        super().__init__(**options)
        self.member_name = member_name


class PasswordForm(ResetForm):
    """A new password, confirmed by the current one."""

    first_field = "old"
    old = PasswordField(_l("Current password"))


class NamedForm(Form):
    """The name of a member, such as of one who asks for a new password by mail."""

    username = StringField(_l("User name"))

    @property
    def member_name(self) -> str:
        return self.username.data or ""


class RecoveryForm(NamedForm):
    """A new password, set with one of a member's recovery codes."""

    code = StringField(_l("Recovery code"))
    new = PasswordField(_l("New password"), [_new_password])


class CodeForm(Form):
    """A code of the second factor."""

    code = StringField(_l("Code"))


class SecondFactorForm(CodeForm):
    """The beginning or the end of the second factor, confirmed by a code and the password."""

    first_field = "password"
    password = PasswordField(_l("Password"))
    code = StringField(_l("Code"), [DataRequired(_l("Please type the code that your app shows."))])


class EmailForm(Form):
    """The address at which a member wants to get mail."""

    email = StringField(_l("E-mail address"), [checked(email_address)])


class ProgramForm(Form):
    """A program that gets a token; *role* is that of its member."""

    name = StringField(_l("Name"), [checked(validation.program_name)])
    rights = SelectMultipleField(_l("What it may do"), validate_choice=False)
    days = StringField(_l("Days after which the token ends"), [checked(validation.program_days)], default="90")

    def __init__(self, role: Role, **options: Any) -> None:
        super().__init__(**options)
        self._role = role
        offered = (right for right in Right if right is not Right.MODERATE or role is not Role.MEMBER)
        self.rights.choices = [SelectChoice(right.value, RIGHT_NAMES[right]) for right in offered]

    def validate_rights(self, field: Any) -> None:
        checked(lambda typed: validation.program_rights(typed, self._role))(self, field)


class ProofForm(Form):
    """The proof that the sender is the member: the password, or a code for recovery or of the second factor."""

    proof = PasswordField(_l("Your password, a code of your app, or a recovery code"))


class DeleteAccountForm(Form):
    """The deletion of an account, confirmed by its password."""

    first_field = "articles"
    password = PasswordField(_l("Password"))
    articles = RadioField(
        _l("Your articles"),
        choices=[
            SelectChoice("keep", _l("Keep them, with “[deleted]” instead of your name")),
            SelectChoice("delete", _l("Delete them too")),
        ],
    )


class LoginForm(NamedForm):
    """Name and password of a member; its errors do not tell which of them is wrong."""

    password = PasswordField(_l("Password"))


class SignupForm(NamedForm):
    """Name and password of a new member, and what they write to the moderators of a site that lets members in."""

    username = StringField(_l("User name"), [checked(validation.user_name)])
    password = PasswordField(_l("Password"), [_new_password])

    request = TextAreaField(_l("A sentence to the moderators"), [checked(validation.request)])


class GroupForm(Form):
    """Title and description of a group."""

    title = StringField(_l("Title"), [checked(validation.group_title)])
    description = TextAreaField(_l("Description"), [checked(validation.group_description)])


def _aliases(typed: str) -> str:
    return " ".join(dict.fromkeys(map(validation.new_group_name, typed.replace(",", " ").split())))


class EditGroupForm(GroupForm):
    """Changes to a group; ``alias`` has the second names under which it is found, with blanks between them."""

    alias = StringField(_l("Second names"), [checked(_aliases)])


class MergeGroupForm(Form):
    """The group ``into`` which another one is to be merged."""

    into = StringField(_l("Merge into"), [checked(validation.group_name)])


class NewGroupForm(GroupForm):
    """A new group; its name cannot be changed later."""

    first_field = "name"
    name = StringField(_l("Name"), [checked(validation.new_group_name)])
