"""A small SMTP server over sockets, that keeps the mails it accepts and can fail in chosen ways."""

import socket
import socketserver
import ssl
import threading
from collections.abc import Callable, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path


class SmtpServer:
    """A server at a port of this machine.

    ``answers`` replace those to a command, such as ``{"RCPT": "550 no such user"}``; "" closes the connection. With
    *certificate*, its file and that of its key, it offers STARTTLS. ``on_accept`` is called when a mail has
    been accepted, before that is answered.
    """

    def __init__(self, certificate: Sequence[Path] = ()) -> None:
        self.reset()
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if certificate else None
        if self._tls:
            self._tls.load_cert_chain(*certificate)
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                outer._converse(self.request)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def reset(self) -> None:
        """Forget all mails, and fail in no way."""
        self.accepted: list[bytes] = []
        self.logins: list[str] = []
        self.encrypted = 0
        self.answers: dict[str, str] = {}
        self.on_accept: Callable[[], None] = lambda: None

    @property
    def mails(self) -> list[EmailMessage]:
        """The accepted mails, as a mail program reads them."""
        return [message_from_bytes(data, policy=policy.default) for data in self.accepted]

    def close(self) -> None:
        """Accept no further connections."""
        self._server.shutdown()
        self._server.server_close()

    def _converse(self, connection: socket.socket) -> None:
        connection.sendall(b"220 test\r\n")
        if self._talk(connection) and self._tls:
            with self._tls.wrap_socket(connection, server_side=True) as encrypted:
                self.encrypted += 1
                self._talk(encrypted)

    def _talk(self, connection: socket.socket) -> bool:
        """Answer commands until the client leaves; tell whether it wants to go on over TLS."""
        with connection.makefile("rb") as lines:
            while line := lines.readline():
                verb, _, rest = line.decode().strip().partition(" ")
                usual = self._answer(verb.upper(), is_encrypted=isinstance(connection, ssl.SSLSocket))
                answer = self.answers.get(verb.upper(), usual)
                if not answer:
                    return False
                connection.sendall(f"{answer}\r\n".encode())
                if verb.upper() == "STARTTLS":
                    return True
                if verb.upper() == "AUTH":
                    self.logins.append(rest)
                elif answer.startswith("354"):
                    self.accepted.append(b"".join(iter(lines.readline, b".\r\n")))
                    self.on_accept()
                    connection.sendall(b"250 accepted\r\n")
        return False

    def _answer(self, verb: str, *, is_encrypted: bool) -> str:
        offers = "250-STARTTLS\r\n250 8BITMIME" if self._tls and not is_encrypted else "250-AUTH PLAIN\r\n250 8BITMIME"
        return {"EHLO": f"250-test\r\n{offers}", "DATA": "354 go on", "QUIT": "221 bye", "STARTTLS": "220 go on"}.get(
            verb, "235 welcome" if verb == "AUTH" else "250 ok"
        )
