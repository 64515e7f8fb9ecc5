"""Templates as Python: macros are compiled into those that output them, and calls are calls of Python.

A row of a list made eleven calls of macros at 2 µs: without this, a list whose rows are not kept takes a third longer.
"""

from copy import deepcopy
from itertools import count
from keyword import iskeyword
from typing import Any, cast

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, _escape_inner, escape  # type: ignore[attr-defined]


def escape_output(value: Any) -> str:
    """Return what a template outputs of *value*, as :func:`markupsafe.escape` does, which makes each text Markup.

    Without this, a row of a list takes a fifth longer.
    """
    kind = type(value)
    if kind is str:
        return _escape_inner(value)
    return value if kind is Markup else str(value) if kind is int else escape(value)


class TemplateCompiler(CodeGenerator):
    """Compile a template, with the macros that its environment compiled before.

    Functions of templates get no context: none has a decorator of Jinja, such as ``pass_context``.
    The variables of a macro inside of another get a number. A macro stays a call if it reads variables of its call, or
    a global that is a variable of the other. None may read a global and set a variable of the same name later.
    """

    _numbers = count()

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        self._macros: dict[str, nodes.Macro] = vars(self.environment).setdefault("macros", {})
        for macro in node.find_all(nodes.Macro):
            self._replace_in(macro, _variables(macro) | {"caller", "varargs", "kwargs"})
            self._macros[macro.name] = macro
        super().visit_Template(node, frame)

    def write_commons(self) -> None:
        super().write_commons()
        self.writeline("escape = environment.escape_output")  # in functions, which only escape what they output

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        if node.dyn_args or node.dyn_kwargs or any(iskeyword(pair.key) for pair in node.kwargs):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        named = ((f"{pair.key}=", pair.value) for pair in node.kwargs)
        for prefix, value in (*(("", argument) for argument in node.args), *named):
            self.write(prefix)
            self.visit(value, frame)
            self.write(", ")
        self.write("caller=caller)" if forward_caller else ")")

    def _replace_in(self, node: nodes.Node, taken: set[str]) -> None:
        """Put the bodies of macros in place of their outputs in *node*, where the names *taken* are variables."""
        for field, value in node.iter_fields(only=("body", "elif_", "else_")):
            statements: list[nodes.Node] = []
            for old in value if isinstance(value, list) else ():
                self._replace_in(old, taken)
                is_output = isinstance(old, nodes.Output)
                statements += [self._statement(part, taken) for part in old.nodes] if is_output else [old]
            setattr(node, field, statements or value)

    def _statement(self, output: nodes.Expr, taken: set[str]) -> nodes.Node:
        """Return a statement that outputs an expression."""
        match output:
            case nodes.CondExpr():
                branches = [[self._statement(one, taken)] if one else [] for one in (output.expr1, output.expr2)]
                return nodes.If(output.test, branches[0], [], branches[1], lineno=output.lineno)
            case nodes.Call(node=nodes.Name(name=name), dyn_args=None, dyn_kwargs=None):
                macro = self._macros.get(name)
                if macro and (body := self._body(macro, output, taken)):
                    return body
        return nodes.Output([output], lineno=output.lineno)

    def _body(self, macro: nodes.Macro, call: nodes.Call, taken: set[str]) -> nodes.Node | None:
        """Return the body of *macro* with the values of *call*, None if it has to be called."""
        names, own, body = [parameter.name for parameter in macro.args], _variables(macro), macro.body
        given = dict(zip(names, call.args, strict=False)) | {pair.key: pair.value for pair in call.kwargs}
        defaults = dict(zip(reversed(names), reversed(macro.defaults), strict=False))
        missing = [name for name in reversed(names) if name not in given]
        reads = {name.name for name in macro.find_all(nodes.Name)} - own
        fits = len(call.args) <= len(names) and {*missing} <= defaults.keys() and given.keys() <= {*names}
        if not fits or reads & taken:
            return None
        for parameters, values in (*(([name], [defaults[name]]) for name in missing), ([*given], [])):
            body = [nodes.With([nodes.Name(name, "param") for name in parameters], values, body)]
        environment, number = cast(Environment, call.environment), next(self._numbers)
        whole = cast(nodes.With, deepcopy(body[0], {id(environment): environment}))
        for node in whole.find_all(nodes.Name):
            node.name += f"_{number}" * (node.name in own)
        whole.set_lineno(call.lineno, override=True).set_environment(environment)
        whole.values = [*given.values()]
        return whole


def _variables(macro: nodes.Macro) -> set[str]:
    return {name.name for name in macro.find_all(nodes.Name) if name.ctx != "load"}
