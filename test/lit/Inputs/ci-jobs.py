"""Does the jobs of docs/ci.md as a runner would, but for what needs a network: installing packages, building.

    ci-jobs.py SOURCE FOLDER    in FOLDER/repository, with the blinkc on PATH
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

source, folder = map(pathlib.Path, sys.argv[1:3])
repository, prefix = folder / "repository", folder / "prefix"
blocks = re.findall(r"^```yaml\n(.*?)^```", (source / "docs/ci.md").read_text(), re.S | re.M)
github, gitlab = map(yaml.safe_load, blocks)
(github_job,), (gitlab_job,) = github["jobs"].values(), gitlab.values()
steps = github_job["steps"]
assert all(("run" in step) != ("uses" in step) for step in steps), steps
assert github_job["container"] == gitlab_job["image"] == "debian:12"
needs_network = re.compile("apt-get|git clone")


def build_commands(script):
    """The commands between git checkout and the end, whatever joins and indents them."""
    commands = [word.strip(" ()") for word in re.split(r"&&|\n", script)]
    begin = next(i for i, word in enumerate(commands) if word.startswith("git checkout")) + 1
    return [re.sub("--prefix .*", "--prefix", word) for word in commands[begin:] if word and word != "fi"]


# Both build the same, of what there is.
github_build = build_commands(next(step["run"] for step in steps if "git clone" in step.get("run", "")))
assert github_build == build_commands(next(word for word in gitlab_job["script"] if "git clone" in word)), github_build
presets = json.loads((source / "CMakePresets.json").read_text())
for command in github_build:
    program, *words = command.split()
    assert program == "cmake" or (source / program).exists(), command
    if "--preset" in words:
        kind = "buildPresets" if "--build" in words else "configurePresets"
        assert words[words.index("--preset") + 1] in [preset["name"] for preset in presets[kind]], command
    for option in re.findall(r"-D(\w+)", command):
        assert re.search(rf"(option|set)\({option}\b", (source / "CMakeLists.txt").read_text()), command
packages = [re.findall(r"apt-get install -y -qq (.*)", script)[0] for script in
            (steps[0]["run"], gitlab_job["script"][0])]
assert packages[0] == packages[1], packages

# As after a build, or from the cache.
(prefix / "bin").mkdir(parents=True)
(prefix / "bin/blinkc").symlink_to(shutil.which("blinkc"))
(repository / ".blink").symlink_to(prefix)
outputs = [repository / name for name in ("bundles", "check.md", "check.xml")]
summary = folder / "summary.md"


def run(script, variables):
    assert subprocess.run(["sh", "-n", "-c", script]).returncode == 0, script
    if needs_network.search(script) and ".blink/bin/blinkc ]" not in script:
        return 0
    script = script.replace("/opt/blink", str(prefix))
    return subprocess.run(["sh", "-e", "-c", script], cwd=repository, stdout=subprocess.DEVNULL,
                          env={**os.environ, **variables}).returncode


def forget():
    for path in [*outputs, summary]:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def run_github():
    forget()
    failed = 0
    for step in steps:
        always = step.get("if") == "always()"
        if "run" in step and (not failed or always) and step.get("if", "always()") == "always()":
            failed = run(step["run"], {**github["env"], "GITHUB_STEP_SUMMARY": str(summary)}) or failed
    return failed


def run_gitlab():
    forget()
    return next(filter(None, (run(command, gitlab_job["variables"]) for command in gitlab_job["script"])), 0)


def blinkc(*words):
    subprocess.run(["blinkc", *words], cwd=repository, check=True, stdout=subprocess.DEVNULL)


def results():
    return run_github(), summary.exists(), run_gitlab(), [path.exists() for path in outputs]


# All is well; then a link gets slower; then a file is wrong.
(repository / "topologies").mkdir()
(repository / "schedules").mkdir()
blinkc("topo", "ring", "3", "--bandwidth", "50", "-o", "topologies/ring.topo")
blinkc("check", "schedules/", "--update", "--only", "ring")
assert results() == (0, True, 0, [True, True, True]), results()
uploads = [step["with"]["path"].split() for step in steps if "upload-artifact" in step.get("uses", "")]
artifacts = gitlab_job["artifacts"]
for path in [*uploads[0], *artifacts["paths"], artifacts["reports"]["junit"]]:
    assert (repository / path).exists(), path
assert (repository / "bundles/ring.sched").exists()
blinkc("topo", "ring", "3", "--bandwidth", "40", "-o", "topologies/ring.topo")
assert results() == (1, True, 1, [True, True, True]), results()
(repository / "topologies/ring.topo").write_text("{}")
assert results() == (2, False, 2, [True, False, False]), results()
print("jobs: good 0, worse 1, wrong 2")
