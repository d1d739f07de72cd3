"""CloudFormation with AWS types: cfn-lint finds no error, and what has a counterpart is there with its references."""

import collections
import json
import re
from concurrent import futures

import yaml

import house

# The judges that the part cannot do without, beside Heat's engine.
JUDGES = ("cfn",)

# What of the corpus the part cannot do without.
NEEDS = ("templates",)

BATCH = 40
# Types that a rule may give up, which says so: groups of something else than servers, and wait conditions that nothing
# in the result signals.
GIVEN_UP = ("OS::Heat::AutoScalingGroup", "OS::Heat::WaitCondition", "AWS::CloudFormation::WaitCondition")
# The user guide reads the data of a wait condition as a string, in an output; cfn-lint takes it for an object.
DATA_OF_CONDITION = re.compile(r"E\d+ .*(, 'Data'\]|\.Data').* is not of type 'string'")
MAPPING = house.TARGETS / "cfn" / "mapping.yaml"
# A rule of its own is one of two types, by its direction.
ALSO = {"AWS::EC2::SecurityGroupIngress": "AWS::EC2::SecurityGroupEgress"}


def run(figures, full):
    """Renders the corpus, asks cfn-lint about every file, and looks for each resource and reference."""
    table = yaml.safe_load(MAPPING.read_text(encoding="utf-8"))["types"]
    paths = house.files_below(house.CORPUS / "templates") + sorted((house.CORPUS / "pairs").glob("*/*.*"))
    paths = [path for path in paths if path.suffix in house.TEMPLATE_SUFFIXES and b"heat_template_version" in path.read_bytes()]
    overcloud = house.CORPUS / "overcloud"
    registry = overcloud / "overcloud-resource-registry-puppet.yaml"
    jobs = [[path] for path in paths]
    if figures.has("overcloud", what="the overcloud"):
        jobs.append([overcloud / "overcloud.yaml", "-e", registry])
    jobs += [[path] for path in house.files_below(overcloud) if b"heat_template_version" in path.read_bytes()]
    # cfn-lint needs half a second a file.
    jobs = jobs if full else jobs[::6]
    folder = house.scratch("cfn")
    with futures.ThreadPoolExecutor(2) as pool:
        rendered = list(pool.map(lambda job: _render(*job, folder), enumerate(jobs)))
    broken = [f"{job[0]}: {done}" for job, done in zip(jobs, rendered) if isinstance(done, str)]
    figures.must(len(jobs) - len(broken), len(jobs), "templates are rendered or have errors that are told", broken)
    rendered = [(job, done) for job, done in zip(jobs, rendered) if isinstance(done, dict) and done["files"]]
    figures.say(f"{len(rendered)} of {len(jobs)} templates have no errors of their own")
    _lint(figures, rendered)
    _look(figures, rendered, table)


def _render(number, job, folder):
    """The report with the data of the files; a text for what should not be."""
    done = house.hotplate("render", *job, "--target", "cfn", "--format", "json")
    try:
        report = json.loads(done.stdout)
    except ValueError:
        errors = done.stderr.decode(errors="replace")
        return {"files": []} if done.returncode in (1, 2) and "error[" in errors and "panicked" not in errors else errors[-300:]
    for at, file in enumerate(report["files"]):
        file["written"] = folder / f"{number}-{at}{'.json' if str(file['path']).endswith('.json') else '.yaml'}"
        file["written"].write_text(file["text"], encoding="utf-8")
        file["data"] = yaml.safe_load(file["text"])
    return report


def _templates(report):
    return [file for file in report["files"] if isinstance(file["data"], dict)]


def _lint(figures, rendered):
    files = {str(file["written"]): job[0] for job, report in rendered for file in _templates(report)}
    names = list(files)
    errors = collections.defaultdict(list)

    def ask(batch):
        done = house.run([house.PROGRAMS["cfn"], "--format", "json", "--", *batch])
        return json.loads(done.stdout or b"[]"), done

    with futures.ThreadPoolExecutor(2) as pool:
        for matches, done in pool.map(ask, [names[at:at + BATCH] for at in range(0, len(names), BATCH)]):
            # Findings have their own exit codes; 1 is a failure of the judge.
            if done.returncode == 1:
                figures.must(0, 1, "cfn-lint judges", [done.stderr.decode()[-300:]])
            for match in matches:
                line = f"{match['Rule']['Id']} {match['Message']}"
                if match["Level"] == "Error" and not DATA_OF_CONDITION.match(line):
                    errors[match["Filename"]].append(line)
    misses = [f"{files.get(name, name)}: {line}" for name, lines in errors.items() for line in lines]
    figures.must(len(names) - len(errors), len(names), "files of CloudFormation without an error of cfn-lint", misses)


def _look(figures, rendered, table):
    mapped, resources, survived, references = [0, 0], 0, [0, 0], 0
    missing, broken, reasons, declared, indirect = [], [], collections.Counter(), collections.Counter(), collections.Counter()
    seen = set()
    for job, report in rendered:
        path = str(job[0])
        if path in seen:
            continue
        seen.add(path)
        done = house.hotplate("ir", path)
        if done.returncode != 0:
            continue
        stack = json.loads(done.stdout)
        template = _templates(report)[0]["data"]
        bodies = template.get("Resources") or {}
        lost = [loss for loss in report["losses"] if loss["place"] and loss["place"]["path"] == path]
        here = {}
        for name, resource in stack["resources"].items():
            kind = (resource["kind"] or {}).get("text", "")
            to = (table.get(kind) or {}).get("to")
            resources += 1
            found = [key for key in bodies if _is(key, name) and bodies[key]["Type"] in (to, ALSO.get(to))]
            by_rule = any(loss["kind"] == "resource_type" and loss["owner"] == name for loss in lost)
            if not to or by_rule and not found:
                reasons[_reason(kind, table)] += 1
                # A type that the table has may be given up by a rule alone, which says so.
                if to and kind not in GIVEN_UP and resource.get("external_id") is None:
                    missing.append(f"{path}: {name} ({kind})")
                    mapped[1] += 1
                continue
            mapped[1] += 1
            mapped[0] += bool(found)
            if found:
                here[name] = found[0]
            else:
                missing.append(f"{path}: {name} ({kind})")
        for name, key in here.items():
            text = json.dumps({other: body for other, body in bodies.items() if other.startswith(key)})
            for pair in ((stack["resources"][name].get("properties") or {}).get("value") or []):
                for target in sorted(_references(pair["value"])):
                    if target not in here or target == name:
                        continue
                    references += 1
                    place = pair["key"]["place"]["start"]["byte"], pair["value"]["place"]["end"]["byte"]
                    is_lost = any(
                        loss["owner"] == name and loss["place"]["start"]["byte"] < place[1]
                        and loss["place"]["end"]["byte"] > place[0] for loss in lost
                    )
                    if is_lost and not _mentions(text, here[target]):
                        declared[f"{stack['resources'][name]['kind']['text']}.{pair['key']['value']}"] += 1
                        continue
                    survived[1] += 1
                    if _mentions(text, here[target]):
                        survived[0] += 1
                    elif _indirect(bodies, key, here[target]):
                        survived[0] += 1
                        indirect[f"{stack['resources'][name]['kind']['text']}.{pair['key']['value']}"] += 1
                    else:
                        broken.append(f"{path}: {name}.{pair['key']['value']} -> {target}")
    figures.must(mapped[0], mapped[1], "resources with an AWS counterpart in the table are there", missing)
    figures.count(mapped[0], resources, "resources are resources of AWS", [f"{count} × {why}" for why, count in reasons.most_common()])
    for why, count in reasons.most_common(8):
        figures.say(f"  {count} are not: {why}")
    figures.must(survived[0], survived[1], "references between them are there", broken)
    for why, count in indirect.most_common():
        figures.say(f"  {count} of these through another resource, or from the other side, as AWS has it: {why}")
    figures.count(references - survived[1], references, "references are in properties that are declared lost", [f"{count} × {why}" for why, count in declared.most_common()])


def _is(key, name):
    """Whether this is the name of a resource, made of letters and digits, perhaps with a number behind it."""
    plain = re.sub("[^a-z0-9]", "", name.lower()) or "unnamed"
    return re.fullmatch(re.escape(plain) + r"\d*", key.lower()) is not None


def _reason(kind, table):
    if kind not in table:
        return "its type is a template, or none of Heat's"
    row = table[kind]
    if kind in ("OS::Heat::Value", "OS::Heat::SoftwareConfig", "OS::Heat::CloudConfig", "OS::Heat::MultipartMime"):
        return "its value stands where it is used"
    if row.get("to"):
        return "a rule gives it up"
    return f"{kind}: {row.get('note', 'no counterpart')}"


def _references(expr):
    """The names of the resources that an expression refers to."""
    found, open_ = set(), [expr]
    while open_:
        part = open_.pop()
        if isinstance(part, list):
            open_ += part
        elif isinstance(part, dict):
            value = part.get("value")
            if part.get("kind") == "resource" and value.get("kind") == "text":
                found.add(value["value"])
            if part.get("kind") == "attribute" and value["resource"].get("kind") == "text":
                found.add(value["resource"]["value"])
            open_ += [inner for key, inner in part.items() if key != "place"]
    return found


def _indirect(bodies, source, target):
    """A port of AWS names the subnet, which names the network; a listener names its pool."""
    texts = {key: json.dumps(body) for key, body in bodies.items()}
    through = any(_mentions(texts[source], key) and _mentions(texts[key], target) for key in texts if key not in (source, target))
    return through or _mentions(texts[target], source)


def _mentions(text, key):
    return f'"{key}"' in text or f"${{{key}}}" in text or f"${{{key}." in text
