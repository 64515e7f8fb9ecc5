"""Extract messages for the catalogues from modules of the API, whose docstrings are on the page about it, too."""

import ast
from collections.abc import Iterator
from io import BytesIO
from typing import IO, Any

from babel.messages.extract import extract_python


def extract(file: IO[bytes], keywords: Any, comment_tags: Any, options: Any) -> Iterator[tuple[int, Any, Any, Any]]:
    """Yield the messages of a module, the descriptions in its shapes, and the subject and summaries of operations."""
    source = file.read()
    yield from extract_python(BytesIO(source), keywords, comment_tags, options)
    tree = ast.parse(source)
    for keyword in ast.walk(tree):
        if isinstance(keyword, ast.keyword) and keyword.arg == "description":
            yield keyword.lineno, None, ast.literal_eval(keyword.value), []
    documented = [tree, *(node for node in tree.body if isinstance(node, ast.FunctionDef) and _is_operation(node))]
    for node in documented if len(documented) > 1 else ():
        text = (ast.get_docstring(node) or "").splitlines()[0]
        yield 1, None, text if node is not tree else text.split(":")[0].rstrip("."), []


def _is_operation(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator).startswith("operation(") for decorator in function.decorator_list)
