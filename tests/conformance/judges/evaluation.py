"""hotplate's evaluation beside the judge's answer of `resolve`."""

import json

import house

EVALUATOR = str(house.BRIDGES / "evaluator")


def evaluate(requests, name):
    """hotplate's answers to requests of `evaluator.rs`."""
    folder = house.scratch(name)
    (folder / "requests.jsonl").write_text("".join(json.dumps(request) + "\n" for request in requests), encoding="utf-8")
    done = house.run([EVALUATOR, folder / "requests.jsonl", folder / "answers.jsonl"])
    if done.returncode != 0:
        raise RuntimeError(f"the evaluator ended with {done.returncode}: {done.stderr.decode()[:500]}")
    return [json.loads(line) for line in (folder / "answers.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]


def failed_stages(answer):
    """Which sections are wrong, and in which class."""
    return [(error["stage"], error["type"]) for error in answer["errors"]]


def plain(value):
    """A value without the words of errors: their class is what counts."""
    if isinstance(value, dict):
        if set(value) == {"$error"}:
            return {"$error": value["$error"]["type"]}
        # An object of Python that yaql makes: its text is compared in yaql's own parts.
        if "$object" in value or "repr" in value:
            return {"$object": value.get("$object", value.get("$unknown"))}
        if "function_errors" in value:
            value = {**value, "function_errors": [error["type"] for error in value["function_errors"]]}
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def spelled(value):
    """A value in a form in which equal means equal, order of maps, kinds of numbers and classes of errors included."""
    return json.dumps(plain(value))


def unknown(value):
    """Whether a part of a value is not known."""
    if isinstance(value, dict):
        return "$unknown" in value or any(map(unknown, value.values()))
    return isinstance(value, list) and any(map(unknown, value))
