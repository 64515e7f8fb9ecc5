"""Debians of several suites as archives, which are kept for a week, since to make one takes a minute."""

import os
import re
import subprocess
import time
from pathlib import Path

#: Seconds after which a Debian is made anew, and bytes of all that are kept.
_MAX_AGE = 7 * 86_400
_MAX_BYTES = 3 * 10**9
#: The settings of apt that tell how packages are fetched; the others are of this machine.
_FETCHING = re.compile(r"Acquire::(?:https?|Check-|Retries|ForceIPv)[^;]*;")
#: The packages of a suite change all the time, so that it has no other archives.
_ROLLING = ("sid",)


class SystemNotMade(Exception):
    """No Debian of a suite could be made, and none is kept."""


def kept_system(suite: str, packages: tuple[str, ...]) -> tuple[Path, str]:
    """Return the archive of a Debian *suite* with *packages*, and "" or since when it could not be made anew.

    Raises SystemNotMade.
    """
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "voteweb" / "debian"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{'+'.join((suite, *packages))}.tar"
    age = time.time() - file.stat().st_mtime if file.exists() else 0
    if file.exists() and age < _MAX_AGE:
        return file, ""
    try:
        _make(suite, packages, file)
    except subprocess.CalledProcessError as error:
        if not file.exists():
            raise SystemNotMade(f"Debian {suite} cannot be made: {error.stdout.strip()}") from error
        return file, f"Debian {suite} of {age / 86_400:.0f} days ago, since none can be made now"
    _prune(folder)
    return file, ""


def _make(suite: str, packages: tuple[str, ...], file: Path) -> None:
    draft, configuration = file.with_suffix(f".{os.getpid()}.draft.tar"), file.with_suffix(".conf")
    configuration.write_text(_fetching_options())
    command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--dpkgopt=force-unsafe-io"]
    command += [f"--include={','.join(packages)}", f"--aptopt={configuration}", suite, str(draft)]
    try:
        sources = _sources(suite)
        subprocess.run(
            [*command, *(["-"] if sources else [])],  # else it takes those that it knows
            input="\n".join(sources), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
        )  # fmt: skip
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
        configuration.unlink()


def _sources(suite: str) -> list[str]:
    """Return the sources of Debian's packages as this machine has them, of *suite* in place of its own."""
    own = re.search(r"^VERSION_CODENAME=(\w+)$", Path("/etc/os-release").read_text(), re.MULTILINE)
    fields = "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
    rows = _output("apt-get", "indextargets", "--format", fields, "Created-By: Packages").splitlines()
    sources = []
    for origin, uri, release, component in (row.split("|") for row in dict.fromkeys(rows)):
        name, _, archive = release.partition("-")
        if origin == "Debian" and own and name == own[1] and not (archive and suite in _ROLLING):
            sources.append(f"deb {uri} {suite}{release.removeprefix(name)} {component}")
    return sources


def _fetching_options() -> str:
    """Return the settings of apt with which this machine fetches packages."""
    return "".join(f"{line}\n" for line in _FETCHING.findall(_output("apt-config", "dump", "Acquire")))


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _prune(folder: Path) -> None:
    """Delete the oldest archives beyond what may be kept."""
    size = 0
    for file in sorted(folder.glob("*.tar"), key=lambda file: file.stat().st_mtime, reverse=True):
        size += file.stat().st_size
        if size > _MAX_BYTES:
            file.unlink()
