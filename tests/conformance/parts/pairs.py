"""The recorded rewrites of `heat-migration-pairs.jsonl`: none that Heat found unequal is ours, unless declared."""

import json

import yaml

import house
from generators import spelling, versions
from judges import compare
from judges.judge import Judge

PARAMETERS = {
    "s": {"type": "string", "default": "x,y,z"}, "n": {"type": "number", "default": 1},
    "l": {"type": "comma_delimited_list", "default": "x,y,z"}, "j": {"type": "json", "default": {"k": "v", "q": [1, 2]}},
    "js": {"type": "string", "default": '["p","q"]'},
    "ml": {"type": "comma_delimited_list", "default": ".member.0.Name=a,.member.0.Value=b=c,.member.1.Name=d,.member.1.Value=e"},
    "m": {"type": "json", "default": {"M": {"a": {"x": "v"}}}},
}
WORLD = {
    "fill": True, "facade": {"metadata": {"m": 1}}, "stack_name": "STK", "stack_id": "SID",
    "attrs": {"srv": {"ref": "uuid-1", "attrs": {"lst": ["a", "b"], "mp": {"k": "v"}, "nul": None, "e": "", "js": '{"k":"vv"}'}}},
}


def _template(row):
    template = {"heat_template_version": row["from"], "parameters": PARAMETERS}
    if versions.has(row["from"], "if"):
        template["conditions"] = {"T": {"equals": [1, 1]}, "F": {"equals": [1, 2]}}
    # A type whose attributes are not known beforehand, as `srv` is not described either.
    template["resources"] = {"srv": {"type": "OS::Heat::SoftwareDeployment", "properties": {"server": "s", "config": "c"}}}
    template["outputs"] = {"o": {"value": row["snippet"]}}
    return yaml.safe_dump(template, sort_keys=False).encode()


def _value(answer):
    output = (answer.get("outputs") or {}).get("o", {"value": {"$error": answer.get("errors")}})["value"]
    return ("value", output) if compare.works(output) else ("error", output)


def run(figures, _full):
    """The part."""
    rows = [json.loads(line) for line in (house.FACTS / "heat-migration-pairs.jsonl").read_text().splitlines()]
    rows = [row for row in rows if versions.canonical(row["from"])]
    folders = {}
    for number, row in enumerate(rows):
        folder = folders.get(row["to"]) or house.scratch(f"pairs/{row['to']}")
        folders[row["to"]] = folder
        (folder / f"{number:02}.yaml").write_bytes(_template(row))
    runs = {to: house.Upgrade(folder, to) for to, folder in folders.items()}
    written = [(folders[row["to"]] / f"{number:02}.yaml").read_bytes() for number, row in enumerate(rows)]
    with Judge() as judge:
        befores = judge.ask([{"op": "resolve", "template": _template(row).decode(), **WORLD} for row in rows], remember=True)
        afters = judge.ask([{"op": "resolve", "template": text.decode(), **WORLD} for text in written])
    recorded = marked = kept = 0
    wrong, unequal, outcome = [], [], {"equal": 0, "conditional": 0, "blocked": 0, "never worked": 0}
    for number, (row, text, before, after) in enumerate(zip(rows, written, befores, afters)):
        entry = runs[row["to"]].files.get(f"{number:02}.yaml", {"status": "missing"})
        then, now = _value(before), _value(after)
        recorded += then[0] == "error" if "error" in row["before"] else then == ("value", row["before"]["value"])
        told = f"{row['label']}: {json.dumps(row['snippet'])} to {row['to']}"
        conditional = any(item["effect"] == "conditional" for item in entry.get("rewrites", ()))
        if entry["status"] == "blocked":
            outcome["blocked"] += 1
        elif entry["status"] == "invalid" and then[0] == "error":
            outcome["never worked"] += 1
        elif entry["status"] not in house.UPGRADED:
            wrong.append(f"{told}: status {entry['status']}")
        elif "Fn::GetAZs" in row["snippet"]:
            wrong.append(f"{told}: must be blocked")
        elif then[0] == "error":
            outcome["never worked"] += 1
        elif spelling.same(then[1], now[1]) and now[0] == "value":
            outcome["equal"] += 1
        elif conditional:
            outcome["conditional"] += 1
        else:
            wrong.append(f"{told}: {then} became {now}")
        if not row["equal"] and then[0] == "value":
            # What Heat found unequal for a source that worked must not be what we wrote, unless we said so.
            marked += 1
            ours = yaml.load(text, Loader=spelling.HeatLoader)["outputs"]["o"]["value"]
            if entry["status"] in house.UPGRADED and not conditional and spelling.same(ours, row["rewrite"]):
                unequal.append(f"{told}: written as {json.dumps(ours)}, which Heat found unequal")
            else:
                kept += 1
    figures.must(recorded, len(rows), "recorded rows with a HOT source give the recorded value again before the upgrade")
    figures.must(len(rows) - len(wrong), len(rows), "rows keep their value, or say that they do not (" + ", ".join(f"{n} {what}" for what, n in outcome.items()) + ")", wrong)
    figures.must(kept, marked, "rewrites that Heat found unequal are not ours, unless conditional or blocked", unequal)
