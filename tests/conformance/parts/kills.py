"""Killed at any moment (SIGKILL, SIGINT, SIGTERM, SIGHUP), hotplate leaves every file whole: the old one or the new one."""

import random
import signal
import subprocess
import time

import house

FILES = 500
KILLS = 200
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

OLD = """heat_template_version: 2013-05-23
# Number {number}.
outputs:
  name: {{value: {{Fn::Join: ['-', [a, b{number}]]}}}}
"""

# What is rendered, into several files or one large one.
STACK = "heat_template_version: 2018-08-31\nparameters:\n{parameters}resources:\n{resources}outputs:\n{outputs}"


def _stack(word):
    numbers = range(300)
    return STACK.format(
        parameters="".join(f"  p{n}: {{type: string, default: {word}{n}}}\n" for n in numbers),
        resources="".join(f"  net{n}: {{type: 'OS::Neutron::Net', properties: {{name: {word}{n}}}}}\n" for n in numbers),
        outputs="".join(f"  o{n}: {{value: {{get_param: p{n}}}}}\n" for n in numbers),
    )


class Scene:
    """A command that writes files, with what stands there before and what it makes of that."""

    def __init__(self, name, arguments, before, written):
        self.name, self.arguments, self.before, self.written = name, arguments, before, written
        self.folder = house.scratch(f"kills/{name}")
        self.lay()
        start = time.perf_counter()
        done = subprocess.run([house.BINARY, *arguments], cwd=self.folder, capture_output=True, check=False)
        self.seconds = time.perf_counter() - start
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{name}: exit {done.returncode}, {done.stderr.decode()[-500:]}")
        self.old = {path: text for path, text in before.items() if written(path)}
        self.new = {path: text for path, text in self.found().items() if written(path)}
        if self.new.keys() != self.old.keys() or all(self.new[path] == self.old[path] for path in self.new):
            raise RuntimeError(f"{name}: there is nothing to write, or files come and go")

    def lay(self):
        """Every file as it is before, and no other."""
        found = self.found()
        for path in found.keys() - self.before.keys():
            (self.folder / path).unlink()
        for path, text in self.before.items():
            if found.get(path) != text:
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / path).write_bytes(text)

    def found(self):
        """Every file that is there, by path."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}


def _upgrade():
    before = {f"{number % 7}/{number}.yaml": OLD.format(number=number).encode() for number in range(FILES)}
    return Scene("upgrade", ["upgrade", "--write", "."], before, lambda path: path.endswith(".yaml"))


def _render(name, target, output, *options):
    """A second rendering over the files of a first one."""
    command = ["render", "stack.yaml", "--target", target, "-o", output, *options]
    first = house.scratch(f"kills/{name}-first")
    (first / "stack.yaml").write_text(_stack("old"))
    house.run([house.BINARY, *command], cwd=first)
    before = {str(path.relative_to(first)): path.read_bytes() for path in first.rglob("*") if path.is_file()}
    before["stack.yaml"] = _stack("new").encode()
    return Scene(name, command, before, lambda path: path != "stack.yaml")


def _kill(scene, number, moment):
    """One run that is ended at a moment; what is wrong afterwards, and how many files are new."""
    scene.lay()
    run = subprocess.Popen([house.BINARY, *scene.arguments], cwd=scene.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(moment)
    run.send_signal(number)
    said = run.communicate(timeout=60)[1].decode("utf-8", "replace")
    found = scene.found()
    wrong = [f"{path} is neither old nor new" for path in scene.new if found.get(path) not in (scene.old[path], scene.new[path])]
    others = [path for path in found if path not in scene.before]
    written = sum(found.get(path) == text != scene.old[path] for path, text in scene.new.items())
    if number == signal.SIGKILL:
        # A hidden temporary file, or what is in a hidden temporary folder.
        wrong += [f"{path} is left" for path in others if not any(part.startswith(".hotplate-") and part.endswith(".tmp") for part in path.split("/"))]
    else:
        wrong += [f"{path} is left" for path in others]
        is_ended = run.returncode == -number
        # Before the signals are watched, they end the process without a word. Files that stay the same are written, too.
        is_counted = all(text != scene.old[path] for path, text in scene.new.items())
        if is_ended and is_counted and said and f"stopped by {number.name}: {written or 'no'} file" not in said:
            wrong.append(f"{written} files are new, and it says {said!r}")
        if not is_ended and run.returncode not in (0, 1):
            wrong.append(f"exit {run.returncode}: {said[-300:]}")
    # What was left behind stands in nobody's way.
    again = subprocess.run([house.BINARY, *scene.arguments], cwd=scene.folder, capture_output=True, check=False)
    found = scene.found()
    if again.returncode not in (0, 1) or any(found.get(path) != text for path, text in scene.new.items()):
        wrong.append(f"a second run does not finish it: exit {again.returncode}, {again.stderr.decode()[-300:]}")
    return wrong, written


def run(figures, full):
    """The part."""
    chance = random.Random(13)
    scenes = [
        _upgrade(),
        _upgrade(),
        _render("folder", "terraform", "out", "--force"),
        _render("file", "json", "stack.json"),
    ]
    kills = KILLS * 10 if full else house.drawn(KILLS)
    misses, halfway, survived = [], 0, 0
    for at in range(kills):
        scene, number = scenes[at % len(scenes)], SIGNALS[at // len(scenes) % len(SIGNALS)]
        moment = scene.seconds * chance.uniform(0.1, 1.05)
        wrong, written = _kill(scene, number, moment)
        halfway += 0 < written < len(scene.new)
        survived += written == len(scene.new)
        if wrong:
            misses.append(f"{number.name} after {moment:.4f} s of `{' '.join(scene.arguments)}`: {'; '.join(wrong[:5])}")
    figures.must(kills - len(misses), kills, "killed runs left every file old or new, and nothing else in sight", misses)
    figures.say(f"{halfway} of these runs had written some of their files, {survived} all")
    figures.must(min(halfway, kills // 10), kills // 10, "of the kills, at least a tenth came between two files")
