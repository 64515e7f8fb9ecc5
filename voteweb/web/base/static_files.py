"""Static files: read once, the scripts as one, each at an address that changes with its content; sent compressed."""

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from flask import Flask, Response, abort, current_app, request

from voteweb.core import config
from voteweb.web.base.context import settings

#: The types of files that are served, by suffix.
_TYPES = {
    ".css": "text/css",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
#: Hexadecimal digits of a file's digest in its address.
_VERSION_LENGTH = 10


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A static file as it is sent; ``compressed`` is empty where that would not be shorter."""

    name: str
    mimetype: str
    body: bytes
    compressed: bytes
    version: str

    @property
    def address(self) -> str:
        """The path and query of this file; it changes with the content, so that browsers can cache it for ever."""
        return f"/static/{self.name}?v={self.version}"

    def response(self, *, max_age: int) -> Response:
        """Return this file as the client accepts it, or 304; there are no parts of it.

        Caches may keep it for *max_age* seconds, and must revalidate it then.
        """
        accepts_gzip = bool(self.compressed) and request.accept_encodings.quality("gzip") > 0
        response = Response(self.compressed if accepts_gzip else self.body, mimetype=self.mimetype)
        if self.compressed:
            response.vary.add("Accept-Encoding")
        if accepts_gzip:
            response.content_encoding = "gzip"
        response.cache_control.public = True
        if max_age:
            response.cache_control.max_age = max_age
            response.cache_control.immutable = max_age == config.STATIC_SECONDS
        else:
            response.cache_control.no_cache = True
        # A weak tag: the plain and the compressed body are two encodings of one file.
        response.set_etag(self.version, weak=True)
        response.make_conditional(request)
        return response


_Files = tuple[tuple[str, bytes], ...]


def init_app(app: Flask, folder: Path, own: Callable[[str], _Files] = lambda _: ()) -> None:
    """Serve the files of *folder* below /static/, and the site's *own*, by name, beside them or in their place.

    The latter are made for the accent that admins have chosen.
    """
    app.extensions["voteweb.static"] = files = lru_cache(maxsize=2)(lambda accent: load(folder, own(accent)))
    files("")  # most sites keep to it
    app.add_url_rule("/static/<path:filename>", "static", _serve)


def _serve(filename: str) -> Response:
    found = files().get(filename)
    if found is None:
        abort(404)
    # While an upgrade replaces one server after the other, a page of one version may ask another for its files. What
    # is answered then is not the file of that address: nobody may keep it.
    response = found.response(max_age=config.STATIC_SECONDS if is_current() else 0)
    if found.mimetype == _TYPES[".svg"]:
        # A picture that is opened by itself is a document: beside the policy of all pages, it runs no script at all.
        response.headers.add("Content-Security-Policy", "sandbox")
    return response


def is_current() -> bool:
    """Tell whether this request is for the version of a file that this process serves."""
    found = files().get((request.view_args or {})["filename"])
    return found is not None and request.args.get("v") == found.version


def files() -> Mapping[str, StaticFile]:
    found: Mapping[str, StaticFile] = current_app.extensions["voteweb.static"](settings().accent)
    return found


@lru_cache(maxsize=8)
def load(folder: Path, own: _Files = ()) -> Mapping[str, StaticFile]:
    """Return the files of *folder* and *own* ones by name; its scripts are one file."""
    paths = [path for path in sorted(folder.iterdir()) if path.suffix in _TYPES and path.suffix != ".js"]
    bodies = {path.name: path.read_bytes() for path in paths} | dict(own)
    bodies["site.js"] = b"".join(_script_block(path) for path in sorted(folder.glob("*.js")))
    return {name: _static_file(name, body) for name, body in bodies.items()}


def _script_block(path: Path) -> bytes:
    """Return the script at *path* as a block with names of its own, which does not stop the others if it fails."""
    return b"// %b\ntry {\n%b} catch (error) { reportError(error); }\n" % (path.name.encode(), path.read_bytes())


def _static_file(name: str, body: bytes) -> StaticFile:
    compressed, version = gzip.compress(body, mtime=0), sha256(body).hexdigest()[:_VERSION_LENGTH]
    return StaticFile(
        name, _TYPES[Path(name).suffix], body, compressed if len(compressed) < len(body) else b"", version
    )
