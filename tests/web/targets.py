"""Targets of redirects: foreign ones in every disguise, and pages of this site."""

FOREIGN_TARGETS = [
    "//evil.example", "////evil.example/x", "/\\evil.example", "\\/evil.example",
    "\\\\evil.example", "/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example",
    "/\x00/evil.example", "/new\r\nSet-Cookie: a=b", "/a b", "https://evil.example/", "HTTPS:/evil.example",
    "javascript:alert(1)", "evil.example", "?page=2",
    "#main", "", "/" + "x" * 4_000, "http://localhost/new",
]  # fmt: skip
OWN_TARGETS = [
    "/new", "/?page=2", "/g/c++", "/g/编程/new", "/a/1#why", "/new?page=2#a7", "/u/ann?x=//evil.example", "/.//x",
]  # fmt: skip
