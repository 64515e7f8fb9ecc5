"""Files that are no modules: templates, static files and those of deploy/."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def resource_folder(name: str) -> Path:
    """Return the folder *name*: inside an installed package, beside it in a checkout."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def checkout() -> Path | None:
    """Return the root of the repository that this is run from, None in an installed package."""
    root = _PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() and (root / "deploy" / "Dockerfile").is_file() else None
