"""TLS to the database: the files of the settings, and what to do when a connection fails."""

import os
import ssl
import stat
import time
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from voteweb.core.config import Settings, env_name
from voteweb.core.errors import ConfigError

CA_FILE, CERTIFICATE_FILE, KEY_FILE = map(env_name, ("redis_ca_file", "redis_certificate_file", "redis_key_file"))
#: It is warned of a certificate that ends within so many days, or in the last quarter of its time if that is shorter.
EXPIRY_DAYS = 14
#: What redis-py takes for no in a URL, in lower case.
_FALSE = ("0", "f", "false", "n", "no")
#: Parts of an error's text, and what to do about it; of several that fit, the first counts.
_ADVICE = (
    (
        ("Hostname mismatch", "IP address mismatch"),
        "The server's certificate must name it (subjectAltName) as the URL does, or as Sentinel or the cluster "
        "announces it.",
    ),
    (("verify failed: certificate has expired",), "Renew the certificate of the server, or that of its authority."),
    (
        ("self-signed", "self signed", "issuer certificate", "invalid CA certificate", "signature failure"),
        f"Neither this machine nor {CA_FILE} trusts the authority that signed the server's certificate: set it to "
        "a file with the certificates of this authority and of those above it.",
    ),
    (  # With TLS 1.3 the server often closes the connection before its reason is read.
        (
            *("ALERT_CERTIFICATE", "ALERT_BAD_CERTIFICATE", "ALERT_UNKNOWN_CA", "ALERT_HANDSHAKE"),
            *("EOF occurred", "Connection reset", "Connection closed", "Broken pipe"),
        ),
        f"If the server demands certificates, name one in {CERTIFICATE_FILE} that it trusts and that has not expired.",
    ),
)


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
    given = {
        name: (variable, file)
        for name, variable, file in zip(
            ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile"), (CA_FILE, CERTIFICATE_FILE, KEY_FILE), files, strict=True
        )
        if file
    }
    if given and not is_tls(url):
        variable, _ = next(iter(given.values()))
        raise ConfigError("%(name)s requires a VOTEWEB_REDIS_URL that begins with rediss.", name=variable)
    for variable, file in given.values():
        _refuse_unreadable(variable, file)
    if files.authorities:
        _check_authorities(files.authorities)
    if files.certificate:
        _check_certificate(files.certificate, files.key or files.certificate)
    elif files.key:
        raise ConfigError("%(name)s requires %(other)s.", name=KEY_FILE, other=CERTIFICATE_FILE)
    return {name: file for name, (_, file) in given.items()}


def _refuse_unreadable(variable: str, file: str) -> None:
    try:
        with open(file, "rb"):
            pass
    except OSError as error:
        raise _unusable(variable, file, error.strerror) from None


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


def _check_certificate(file: str, key: str) -> tuple[float, float]:
    """Return the unix times between which the certificate in *file* is valid, as a server that trusts it sees them.

    Raises ConfigError when that would refuse it, or *key* is another's.
    """
    client, server = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        for context in (client, server):
            context.load_cert_chain(file, key, password=_refuse_passphrase)
        server.load_verify_locations(file)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise _unusable(KEY_FILE, key, f"it is not the key of {CERTIFICATE_FILE}") from None
        raise _unusable(CERTIFICATE_FILE, file, f"it, or {KEY_FILE}, has not what is needed in PEM") from None
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    server.verify_mode = ssl.CERT_REQUIRED
    server.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True)
    try:
        for end in ends * 2:  # each answers the other twice
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()
    except ssl.SSLCertVerificationError as error:
        raise _unusable(CERTIFICATE_FILE, file, error.verify_message) from None
    seen = ends[1].getpeercert() or {}
    return ssl.cert_time_to_seconds(str(seen["notBefore"])), ssl.cert_time_to_seconds(str(seen["notAfter"]))


def _refuse_passphrase() -> str:
    """Refuse a key with a passphrase, for which OpenSSL would ask at the terminal of each process."""
    raise ConfigError("The key of %(name)s has a passphrase: write it to a file without one.", name=CERTIFICATE_FILE)


def advice(url: str, error: Any) -> str:
    """Return what an operator can do about the *error* of a connection to *url*, or ""."""
    scheme, text = url.partition(":")[0], str(error)
    if not is_tls(url):
        is_closed = "Connection reset" in text or "Connection closed" in text
        other = scheme.replace("redis", "rediss")
        return f"Does it speak only TLS at this port? Then write {other}://." if other != scheme and is_closed else ""
    for parts, sentence in _ADVICE:
        if any(part in text for part in parts):
            return sentence
    is_plain = any(part in text for part in ("imeout", "imed out", "WRONG_VERSION", "PACKET_LENGTH"))
    other = scheme.replace("rediss", "redis")
    return f"Does it speak TLS at this port? Without TLS, write {other}://." if is_plain else ""


def expiry_warnings(files: TlsFiles) -> list[str]:
    """Return that our certificate ends soon, or cannot be used any more, in words that anybody may read."""
    if not files.certificate:
        return []
    try:
        begin, end = _check_certificate(files.certificate, files.key or files.certificate)
    except (ConfigError, OSError):
        return [f"The certificate in {CERTIFICATE_FILE} cannot be used any more: `voteweb doctor` says why."]
    if end - time.time() > min(EXPIRY_DAYS * 86_400, (end - begin) / 4):
        return []
    date = time.strftime("%Y-%m-%d %H:%M", time.gmtime(end))
    return [f"The certificate in {CERTIFICATE_FILE} expires at {date} UTC: then the database refuses us. Renew it."]


def hints(url: str, files: TlsFiles) -> list[str]:
    """Return what could be safer about the connection to *url*, and who can read the key in *files*."""
    found = []
    query = parse_qs(urlsplit(url).query) if is_tls(url) else {}
    hosts = [] if is_tls(url) else urlsplit(url).netloc.rpartition("@")[2].split(",")
    if far := [host for host in hosts if _is_far(urlsplit(f"//{host}").hostname or "")]:
        found.append(
            f"The connection to {', '.join(far)} is not encrypted: others in its network may read and change what is "
            "sent. TLS needs a VOTEWEB_REDIS_URL that begins with rediss."
        )
    if "none" in query.get("ssl_cert_reqs", ()):
        found.append(
            "VOTEWEB_REDIS_URL has ssl_cert_reqs=none: any server in its place would be taken for the database."
        )
    elif query.get("ssl_check_hostname", ["true"])[-1].lower() in _FALSE:
        found.append(
            "VOTEWEB_REDIS_URL has ssl_check_hostname=false: any server with a certificate of the same authorities "
            "would be taken for the database."
        )
    variable, file = (KEY_FILE, files.key) if files.key else (CERTIFICATE_FILE, files.certificate)
    if file and os.stat(file).st_mode & stat.S_IROTH and (files.key or _has_key(file)):
        found.append(f"Everybody on this machine can read the key in {variable}, {file}: chmod o-r.")
    return found


def _has_key(certificate_file: str) -> bool:
    """Tell whether a file of a certificate has a key, too."""
    return b"PRIVATE KEY-----" in Path(certificate_file).read_bytes()


def _is_far(host: str) -> bool:
    """Tell whether *host* is another machine; a name without a dot is another container of this one."""
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return "." in host
