"""TLS to the database: the files of the settings."""

import ssl
import time
from typing import NamedTuple

from voteweb.core.config import Settings, env_name
from voteweb.core.errors import ConfigError

CA_FILE, CERTIFICATE_FILE, KEY_FILE = map(env_name, ("redis_ca_file", "redis_certificate_file", "redis_key_file"))
#: The option of redis-py that each setting is, in the order of TlsFiles.
_OPTIONS = {"ssl_ca_certs": CA_FILE, "ssl_certfile": CERTIFICATE_FILE, "ssl_keyfile": KEY_FILE}


class TlsFiles(NamedTuple):
    """Files in PEM: certificates of authorities, our own certificate with its chain, and its key; empty: none."""

    authorities: str = ""
    certificate: str = ""
    key: str = ""

    @classmethod
    def of(cls, settings: Settings) -> "TlsFiles":
        """Return those that *settings* name."""
        return cls(settings.redis_ca_file, settings.redis_certificate_file, settings.redis_key_file)


NO_FILES = TlsFiles()


def is_tls(url: str) -> bool:
    """Tell whether the database at *url* is spoken to over TLS."""
    return url.partition(":")[0].startswith("rediss")


def options(url: str, files: TlsFiles) -> dict[str, str]:
    """Return the options of redis-py's connections to *url*, which read the *files* whenever one is opened.

    Raises ConfigError when a file cannot be used, or would not be used.
    """
    given = [(name, variable, file) for (name, variable), file in zip(_OPTIONS.items(), files, strict=True) if file]
    for _, variable, file in given:
        if not is_tls(url):
            raise ConfigError("%(name)s requires a VOTEWEB_REDIS_URL that begins with rediss.", name=variable)
        try:
            open(file, "rb").close()
        except OSError as error:
            raise _unusable(variable, file, error.strerror) from None
    if files.authorities:
        _check_authorities(files.authorities)
    if files.certificate:
        _check_certificate(files.certificate, files.key or files.certificate)
    elif files.key:
        raise ConfigError("%(name)s requires %(other)s.", name=KEY_FILE, other=CERTIFICATE_FILE)
    return {name: file for name, _, file in given}


def _unusable(variable: str, file: str, reason: str | None) -> ConfigError:
    return ConfigError("%(name)s, %(file)s, cannot be used: %(reason)s.", name=variable, file=file, reason=reason)


def _check_authorities(file: str) -> None:
    """Raise ConfigError when *file* has no certificate, or only expired ones."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(file)
    except ssl.SSLError:
        raise _unusable(CA_FILE, file, "it has no certificate in PEM") from None
    ends = [ssl.cert_time_to_seconds(str(certificate["notAfter"])) for certificate in context.get_ca_certs()]
    if ends and max(ends) < time.time():
        raise _unusable(CA_FILE, file, "it has expired")


def _check_certificate(file: str, key: str) -> None:
    """Raise ConfigError when *file* has no certificate, *key* has none, or the two do not belong together."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(file, key, password=_refuse_passphrase)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise _unusable(KEY_FILE, key, f"it is not the key of {CERTIFICATE_FILE}") from None
        raise _unusable(CERTIFICATE_FILE, file, f"it, or {KEY_FILE}, has not what is needed in PEM") from None


def _refuse_passphrase() -> str:
    """Refuse a key with a passphrase, for which OpenSSL would ask at the terminal of each process."""
    raise ConfigError("The key of %(name)s has a passphrase: write it to a file without one.", name=CERTIFICATE_FILE)
