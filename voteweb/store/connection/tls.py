"""TLS to the database: the files of the settings."""

import ssl
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
    for _, variable, file in reversed(given):  # the key first: without it OpenSSL blames the certificate
        if not is_tls(url):
            raise ConfigError("%(name)s requires a VOTEWEB_REDIS_URL that begins with rediss.", name=variable)
        try:
            open(file, "rb").close()
            _load(variable, file, files.key)
        except OSError as error:  # OpenSSL's too
            raise ConfigError(
                "%(name)s, %(file)s, cannot be used: %(reason)s.", name=variable, file=file, reason=error.strerror
            ) from None
    if files.key and not files.certificate:
        raise ConfigError("%(name)s requires %(other)s.", name=KEY_FILE, other=CERTIFICATE_FILE)
    return {name: file for name, _, file in given}


def _load(variable: str, file: str, key: str) -> None:
    """Read *file* as a connection would; raise OSError if it cannot be used, or not with the *key*."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if variable == CA_FILE:
        context.load_verify_locations(file)
    elif variable == CERTIFICATE_FILE:
        context.load_cert_chain(file, key or file, password=_refuse_passphrase)


def _refuse_passphrase() -> str:
    """Refuse a key with a passphrase, for which OpenSSL would ask at the terminal of each process."""
    raise ConfigError("The key of %(name)s has a passphrase: write it to a file without one.", name=CERTIFICATE_FILE)
