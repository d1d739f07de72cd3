"""yaql's own unit tests, run against our interpreter: all that test neither the Python host interface nor version 0.2."""

import collections
import json

import house
from judges import yaql_sides

# The least share of tests that must pass.
WANTED = 0.99


def _results(side):
    # One of the tests leaves a file behind where it runs.
    folder = house.scratch("yaql_tests")
    done = house.run([house.PYTHON, house.HERE / "judges" / "yaql_unittests.py", side], env=house.environment(PYTHONHASHSEED="0", TZ="UTC"), cwd=folder)
    if done.returncode:
        raise RuntimeError(f"yaql's tests ended with {done.returncode}: {done.stderr.decode()[-600:]}")
    return {name: (state, why) for name, state, why in map(json.loads, done.stdout.splitlines())}


def run(figures, _full):
    """The part."""
    yaql_sides.require()
    theirs, ours = _results("judge"), _results("ours")
    host = {name: why for name, (state, why) in theirs.items() if state == "host"}
    judged = [name for name in theirs if name not in host]
    # The machinery must not be what fails: yaql's own interpreter behind the same bridge passes.
    broken = [f"{name}: {theirs[name][1]}" for name in judged if theirs[name][0] != "passed"]
    figures.must(len(judged) - len(broken), len(judged), "tests pass with PyPI yaql behind the same bridge", broken)
    passed = [name for name in judged if ours[name][0] == "passed"]
    failed = [f"{name}: {ours[name][1]}" for name in judged if ours[name][0] != "passed"]
    figures.count(len(passed), len(judged), "tests of yaql pass", failed)
    least = -(-len(judged) * int(WANTED * 100) // 100)
    figures.must(min(len(passed), least), least, "tests are 99 % of these", failed)
    figures.count(len(host), len(theirs), "tests are of the Python host interface or of version 0.2", [f"{name}: {why}" for name, why in host.items()])
    reasons = collections.defaultdict(list)
    for name, why in host.items():
        reasons[why].append(name.removeprefix("test_"))
    for why, names in reasons.items():
        figures.say(f"not judged, {why}: {' '.join(names)}")
