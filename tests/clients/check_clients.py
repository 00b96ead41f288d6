"""The real clients go on with what we export: each resumes a session of every source against a recorder on the loopback, and its
request must hold the history that we restore.

usage: python tests/clients/check_clients.py [--clients FOLDER] [--only codex|claude-code] [SAMPLE…]

The clients are installed with npm into FOLDER (default: a temporary folder). Without npm, or when its registry cannot be
reached, the check is skipped with a message and exit code 0.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import flat
from recorder import Recorder, recorder
from rehydrate.events.store import EventStore
from rehydrate.runtime.export import ExportResult, export_session
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.resume import resume_session
from sessions import SOURCES

PROMPT = "Go on, please."
PACKAGES = {"codex": ("@openai/codex", "codex"), "claude-code": ("@anthropic-ai/claude-code", "claude")}


def installed(target: str, folder: Path) -> Path | None:
    """The client's program, installed if it is not there; None when npm cannot do it."""
    package, name = PACKAGES[target]
    program = folder / "node_modules" / ".bin" / name
    if program.exists():
        return program
    npm = shutil.which("npm")
    if npm is None:
        return None
    command = [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), package]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    return program if program.exists() else None


def run_codex(program: Path, home: Path, project: Path, session_id: str, model: Recorder) -> None:
    (rollout,) = home.glob(f"sessions/*/*/*/*{session_id}.jsonl")
    first = json.loads(rollout.read_text(encoding="utf-8").partition("\n")[0])
    provider = first["payload"].get("model_provider") or "loop"
    url = f"{model.url}/v1"
    lines = ['model = "gpt-5"', f'model_provider = "{provider}"', f'openai_base_url = "{url}"']
    if provider != "openai":
        lines += [f"[model_providers.{provider}]", 'name = "loop"', f'base_url = "{url}"', 'wire_api = "responses"']
        lines += ['env_key = "LOOP_KEY"']
    (home / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [str(program), "exec", "--skip-git-repo-check", "resume", session_id, PROMPT]
    _run(command, project, CODEX_HOME=str(home), LOOP_KEY="none", CODEX_API_KEY="none", HOME=str(home))


def run_claude(program: Path, home: Path, project: Path, session_id: str, model: Recorder) -> None:
    command = [str(program), "-p", "--resume", session_id, PROMPT]
    _run(
        command, project, CLAUDE_CONFIG_DIR=str(home), HOME=str(home), ANTHROPIC_BASE_URL=model.url,
        ANTHROPIC_API_KEY="none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", DISABLE_AUTOUPDATER="1",
    )  # fmt: skip


def _run(command: list[str], project: Path, **more: str) -> None:
    done = subprocess.run(
        command,
        check=False,
        cwd=project,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        timeout=90,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stdout[-300:]} {done.stderr[-300:]}")


RUNNERS: dict[str, Callable[..., None]] = {"codex": run_codex, "claude-code": run_claude}
READERS = {"codex": flat.responses, "claude-code": flat.messages}
HOMES = {"codex": "CODEX_HOME", "claude-code": "CLAUDE_CONFIG_DIR"}


def check(target: str, program: Path, store: EventStore, session_id: str, folder: Path) -> str | None:
    """None when the client's request holds our history, else where they part."""
    if store.session(session_id).source == target:
        session_id = fork_session(
            session_id, store=store
        ).session_id  # A whole session goes out as it is, defects included.
    expected = flat.without_plan(flat.restored(resume_session(session_id, store=store, check_workspace=False)))
    home, project = folder / "home", folder / "project"
    home.mkdir(parents=True)
    project.mkdir()
    os.environ[HOMES[target]] = str(home)
    result: ExportResult = export_session(session_id, target, install=True, project=project, store=store)  # type: ignore[arg-type]
    with recorder() as model:
        RUNNERS[target](program, home, project, result.session_id, model)
        bodies = [body for _, body in model.requests if PROMPT in str(body)]
    if not bodies:
        return "the client sent no request"
    found = flat.without_plan(READERS[target](bodies[0]))
    found = flat.once([entry for entry in found if entry != ("user", "text", PROMPT)])
    return _difference(flat.as_sent(expected, found), found)


def _difference(expected: flat.Flat, found: flat.Flat) -> str | None:
    """Calls and their results may stand in another order within a reply; everything else must be the same."""
    if sorted(map(repr, expected)) == sorted(map(repr, found)):
        return None
    missing = [entry for entry in expected if entry not in found]
    more = [entry for entry in found if entry not in expected]
    return f"missing {missing[:2]!r:.500}; more {more[:2]!r:.500}; {len(expected)} expected, {len(found)} found"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=Path)
    parser.add_argument("--only", choices=sorted(PACKAGES))
    parser.add_argument("samples", nargs="*", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rehydrate-clients-") as temporary:
        folder = arguments.clients or Path(temporary) / "clients"
        failures = 0
        for target in [arguments.only] if arguments.only else sorted(PACKAGES):
            program = installed(target, folder / target)
            if program is None:
                print(f"skipped {target}: npm cannot install {PACKAGES[target][0]} here")
                continue
            failures += _check_all(target, program, Path(temporary), arguments.samples)
    return 1 if failures else 0


def _check_all(target: str, program: Path, temporary: Path, samples: list[Path]) -> int:
    failures = 0
    version = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=False).stdout.strip()
    with EventStore(temporary / f"{target}.sqlite") as store:
        work = temporary / f"sources-{target}"
        work.mkdir()
        cases = {name: make(store, work) for name, make in SOURCES.items()}
        for session in import_transcripts(samples, store=store).sessions if samples else ():
            if session.role == "main":
                cases[Path(session.path).name] = session.session_id
        for number, (name, session_id) in enumerate(cases.items()):
            try:
                problem = check(target, program, store, session_id, temporary / f"{target}-{number}")
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                problem = str(error)
            print(
                f"{'ok    ' if problem is None else 'FAILED'} {version}: resumes {name}{'' if problem is None else ': ' + problem}"
            )
            failures += problem is not None
    return failures


if __name__ == "__main__":
    sys.exit(main())
