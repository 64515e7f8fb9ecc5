"""The hook of hatchling that writes the commit into wheels and source distributions, which have no repository."""

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        commit = runpy.run_path(f"{self.root}/voteweb/core/version.py")["read_commit"]()
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / "commit"
        file.write_text(f"{commit}\n", "utf-8")
        build_data["force_include"][str(file)] = "voteweb/commit"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
