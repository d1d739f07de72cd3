"""Shows that the harness can fail: a wrong hotplate is noticed, whichever way it is wrong.

Needs the judges, not the binary: `fake_hotplate.py` stands in for it.
"""

import argparse
import collections
import contextlib
import io
import os
import pathlib
import random
import stat
import sys
import unittest
import unittest.mock

import yaml

import agreement
import conformance
import house
from figures import Figures
from generators import cases, cloud_changes, cloud_operations, spelling, traps, versions, yaql_generate, yaql_shapes
from judges import audit, compare, deployments, systems, updates, yaql_differences, yaql_judge, yaql_sides
from judges.judge import Judge
from parts import cloud as part_cloud, diff as part_diff, generated as part_generated, nested as part_nested, system as part_system, unknowns as part_unknowns, updates as part_updates, yaml as part_yaml

SAMPLE = 12


def _sample(version, features):
    """Some cases of each feature, which is matched by its beginning."""
    made = cases.generate(version, 10)
    chosen = []
    for feature in features:
        fitting = [case for case in made if case.feature.startswith(feature)]
        chosen += random.Random(feature).sample(fitting, min(SAMPLE, len(fitting)))
    return chosen


class Faked(unittest.TestCase):
    """What the harness says about a wrong hotplate."""

    @classmethod
    def setUpClass(cls):
        launcher = house.scratch("selftest") / "hotplate"
        launcher.write_text(f'#!/bin/sh\nexec "{house.PYTHON}" "{house.HERE / "fake_hotplate.py"}" "$@"\n')
        launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
        house.BINARY = str(launcher)
        cls.judge = Judge(memory=False)

    @classmethod
    def tearDownClass(cls):
        cls.judge.__exit__()

    def results(self, manner, version, target, features):
        """The results of one wrong hotplate over some cases."""
        os.environ["FAKE"] = manner
        made = _sample(version, features)
        before = dict(zip((case.name for case in made), self.judge.ask([case.request() for case in made])))
        results = part_generated.Results()
        part_generated.Direction(self.judge, results, made, before).go({target: made}, target > version)
        return results

    def test_a_bare_bump_is_caught_wherever_a_version_changes_a_meaning(self):
        silent = [
            ("2013-05-23", "2014-10-16", ["get_attr of a group, with path", "ref parameter", "join", "member list"]),
            ("2014-10-16", "2015-04-30", ["data map", "data map as metadata", "data map as a property"]),
            ("2015-04-30", "2015-10-15", ["select comma_delimited_list", "select list", "select map attribute"]),
            ("2015-10-15", "2016-10-14", ["condition of an output", "str_replace with such a name"]),
            ("2016-10-14", "2017-02-24", ["range with modulo", "data map in a condition", "data map in map_merge"]),
            ("2017-02-24", "2017-09-01", ["repeat permutations", "data map in a branch"]),
            ("2021-04-16", "2018-08-31", ["if with two arguments"]),
            ("2016-10-14", "2016-04-08", ["if", "yaql", "deletion policy"]),
        ]
        for version, target, features in silent:
            results = self.results("bump", version, target, features)
            for feature in features:
                wrong = sum(tally.wrong for name, tally in results.features.items() if name.startswith(feature))
                self.assertGreater(wrong, 0, f"{version} to {target}: {feature}")

    def test_a_bare_bump_that_changes_nothing_is_accepted(self):
        results = self.results("bump", "2018-03-02", "2018-08-31", ["get_param", "repeat", "if"])
        self.assertEqual([], results.wrong)
        self.assertEqual([], results.bytes_wrong)
        self.assertGreater(results.judged, SAMPLE)

    def test_lost_comments_and_bytes_are_caught(self):
        results = self.results("dump", "2018-03-02", "2018-08-31", ["get_param"])
        self.assertTrue(any("outside" in text for text in results.bytes_wrong))
        self.assertTrue(any("comments" in text for text in results.bytes_wrong))

    def test_blocking_everything_is_caught(self):
        results = self.results("block", "2013-05-23", "2014-10-16", ["ref parameter", "join", "get_param"])
        self.assertGreater(len(results.needless), SAMPLE)
        self.assertGreater(len(results.harmless), 0)

    def test_declaring_everything_conditional_shows_in_the_count(self):
        results = self.results("claim", "2013-05-23", "2014-10-16", ["get_attr of a group, with path", "ref parameter"])
        self.assertGreater(sum(tally.conditional for tally in results.features.values()), 0)
        self.assertGreater(len(results.timid), 0)

    def test_groups_are_answered_by_heat(self):
        text = cases.generate("2013-05-23", 10)
        group = [case for case in text if case.feature == "get_attr of a group"]
        self.assertTrue(all(compare.whole(answer) for answer in self.judge.ask([case.request() for case in group[:20]])))

    def test_the_tables_of_the_generator_are_heats(self):
        heat = self.judge.ask([{"op": "functions"}])[0]["versions"]["heat_template_version"]
        self.assertEqual(versions.VERSIONS + sorted(versions.ALIASES), sorted(heat))
        for version in versions.VERSIONS:
            known = {name for name, what in heat[version]["functions"].items() if "Removed" not in what and "Invalid" not in what}
            ours = {name for name in [*versions.SINCE, *versions.UNTIL] if versions.has(version, name)}
            self.assertEqual(known, ours, version)

    def test_most_generated_templates_work(self):
        for version in versions.VERSIONS:
            made = random.Random(version).sample(cases.generate(version, 300), 150)
            whole = sum(map(compare.whole, self.judge.ask([case.request() for case in made])))
            self.assertGreater(whole, len(made) * 0.7, version)

    def test_the_traps_work_before(self):
        for version in versions.VERSIONS:
            found = list(traps.texts(version))
            answers = self.judge.ask([cases.trial(text, frozenset()) for _, text in found])
            for (name, _), answer in zip(found, answers):
                self.assertTrue(compare.whole(answer) and answer["valid"], f"{name} in {version}: {answer}")


ROOT = """
heat_template_version: 2018-03-02
parameters: {word: {type: string}, tree: {type: json, default: {a: [1, 2.0, true]}}, some: {type: number, default: 2}}
conditions: {many: {equals: [{get_param: some}, 2]}, never: false}
resources:
  one: {type: inner.yaml, properties: {word: {get_param: word}, tree: {get_param: tree}}, metadata: {m: 1}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: {get_param: some}, resource_def: {type: Own::Type, properties: {word: "w-%index%"}}}
  chain: {type: OS::Heat::ResourceChain, properties: {resources: [Own::Type, OS::Heat::None], concurrent: true}}
  scaled: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 3, resource: {type: Own::Type}}}
  away: {type: inner.yaml, condition: never}
  wrong: {type: inner.yaml, properties: {size: {get_attr: [one, words]}}}
  remote:
    type: OS::Heat::Stack
    properties: {template: {get_file: inner.yaml}, parameters: {word: {yaql: {expression: $.data, data: y}}}}
outputs: {o: {value: {yaql: {expression: $.data, data: {get_attr: [one, words]}}}}, p: {value: {get_attr: [one, words]}}}
"""
INNER = """
heat_template_version: 2018-03-02
parameters:
  word: {type: string, default: none}
  tree: {type: json, default: {}}
  size: {type: number, default: 1}
resources:
  leaf: {type: leaf.yaml, properties: {word: {get_param: word}}}
outputs: {words: {value: {list_join: ["", [{get_param: word}, {get_attr: [leaf, w]}]]}}, facade: {value: {resource_facade: metadata}}}
"""
LEAF = """
heat_template_version: 2018-03-02
parameters: {word: {type: string}, deep: {type: number, default: 3}}
outputs: {w: {value: {get_param: word}}}
"""
OWN = "resource_registry: {'Own::Type': inner.yaml}\nparameter_defaults: {size: 7, deep: 4}\n"


class Deployments(unittest.TestCase):
    """What the harness says about a wrong evaluation of a deployment."""

    @classmethod
    def setUpClass(cls):
        cls.folder = house.scratch("selftest-nested")
        launcher = cls.folder / "hotplate"
        launcher.write_text(f'#!/bin/sh\nexec "{house.PYTHON}" "{house.HERE / "fake_hotplate.py"}" "$@"\n')
        launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
        house.BINARY = str(launcher)
        for name, text in (("root", ROOT), ("inner", INNER), ("leaf", LEAF), ("env", OWN)):
            (cls.folder / f"{name}.yaml").write_text(text)
        with Judge(memory=False) as judge:
            cls.answer = judge.ask([deployments.request(cls.folder / "root.yaml", [cls.folder / "env.yaml"])])[0]

    def compared(self, manner):
        """The comparison with one fake."""
        os.environ["FAKE"] = manner
        totals = part_nested.Totals("fakes")
        heard = part_nested.evaluate(self.folder / "root.yaml", [self.folder / "env.yaml"])
        return part_nested.judged(totals, manner, self.answer, "root", heard), totals

    def test_every_kind_of_nesting_is_asked(self):
        comparison, _ = self.compared("echo")
        self.assertEqual((1 + 2 + (1 + 2 * 2) + (1 + 2) + (1 + 2) + 2, 3), (comparison.stacks, comparison.depth))
        root = self.answer["stacks"][str(self.answer["root"])]
        self.assertNotIn("away", root["resources"])
        self.assertIn("$error", root["resources"]["wrong"]["nested"])
        inner = self.answer["stacks"][str(root["resources"]["one"]["nested"])]
        self.assertEqual({"m": 1}, inner["outputs"]["facade"]["value"])
        self.assertEqual(7, inner["parameters"]["size"])
        leaf = self.answer["stacks"][str(inner["resources"]["leaf"]["nested"])]
        self.assertEqual(("<<param:word>>", 4), (leaf["parameters"]["word"], leaf["parameters"]["deep"]))
        group = self.answer["stacks"][str(root["resources"]["group"]["nested"])]
        self.assertEqual(["w-0", "w-1"], [group["resources"][name]["properties"]["word"] for name in "01"])

    def test_what_heat_says_is_equal(self):
        comparison, totals = self.compared("echo")
        self.assertEqual([], comparison.differences)
        self.assertEqual((1, comparison.stacks, comparison.values), (totals.alike, comparison.whole, comparison.equal))

    def test_one_changed_value_is_reported(self):
        comparison, totals = self.compared("value")
        self.assertEqual(1, len(comparison.differences), comparison.differences)
        self.assertIn("another", comparison.differences[0])
        self.assertEqual((0, comparison.stacks - 1, comparison.values - 1), (totals.alike, totals.whole, totals.equal))

    def test_a_lost_stack_is_reported_with_all_its_values(self):
        comparison, _ = self.compared("child")
        self.assertIn("no stack", "".join(comparison.differences))
        self.assertLess(comparison.equal, comparison.values - 2)

    def test_unknown_values_are_reported(self):
        comparison, _ = self.compared("vague")
        self.assertGreater(len(comparison.differences), 6)

    def test_another_shape_is_reported(self):
        comparison, _ = self.compared("more")
        self.assertEqual(["/outputs/p: only hotplate has ['sensitive']"], comparison.differences)

    def test_no_answer_is_reported(self):
        comparison, _ = self.compared("crash")
        self.assertEqual((0, 0), (comparison.whole, comparison.equal))


class Tools(unittest.TestCase):
    """The measuring tools."""

    def test_generating_twice_gives_the_same(self):
        one, two = ([case.text for case in cases.generate("2015-04-30", 50)] for _ in range(2))
        self.assertEqual(one, two)

    def test_every_style_is_used_and_the_texts_differ(self):
        made = cases.generate("2016-10-14", 600)
        self.assertEqual({style.name for style in spelling.STYLES}, {case.style for case in made})
        self.assertGreater(len({case.text for case in made}), len(made) * 0.95)

    def test_places_of_paths(self):
        text = "\ufeff# é\nheat_template_version: pike\noutputs:\n  é: {value: &a {Ref: w}}\n  o:\n    <<: {value: 1}\n  p: {value: *a}\n".encode()
        places = compare.Text(text)
        self.assertEqual(b"pike", text[slice(*places.version_span())])
        self.assertEqual(b"{Ref: w}", text[slice(*places.spans(("outputs", "é", "value"))[0])].removeprefix(b"&a "))
        self.assertEqual(b"{Ref: w}", text[slice(*places.spans(("outputs", "p", "value"))[0])].removeprefix(b"&a "))
        self.assertEqual(b"1", text[slice(*places.spans(("outputs", "o", "value"))[0])])

    def test_a_difference_counts_as_declared_only_in_its_place(self):
        text = b"heat_template_version: pike\noutputs: {a: {value: 1}, b: {value: 2}}\n"
        start = text.index(b"1}")
        entry = {"diagnostics": [], "rewrites": [{"rule": "x", "effect": "conditional", "place": {"start": {"byte": start}, "end": {"byte": start + 1}}, "old": "1", "new": "3"}]}
        found = {(0, ("outputs", name, "value")): (1, 2) for name in "ab"}
        self.assertEqual([(0, ("outputs", "b", "value"))], [key for key, _ in compare.undeclared(text, entry, found)])
        entry["rewrites"][0]["effect"] = "exact"
        self.assertEqual(2, len(compare.undeclared(text, entry, found)))

    def test_comments(self):
        text = b"a: 'x # no' # one\nb: | # two\n  # no\n  x\n# three\nc: {d: e#no, # four\n  f: [g # five\n  ]} # six\n"
        self.assertEqual(["# one", "# two", "# three", "# four", "# five", "# six"], audit.comments(text))

    def test_an_audit_finds_what_a_report_hides(self):
        before, after = b"a: 1 # c\nb: 2\nc: 3\n", b"a: 1\nb: 9\nc: 4\n"
        entry = {"diagnostics": [], "rewrites": [{"rule": "x", "place": {"start": {"byte": 12, "line": 1}, "end": {"byte": 13}}, "old": "5", "new": "9"}]}
        kinds = collections.Counter(text.split(":")[0] for text in audit.problems(before, after, entry))
        self.assertEqual({"outside", "old", "new", "line", "comments"}, set(kinds))
        entry = {"diagnostics": [], "rewrites": [{"rule": "x", "place": {"start": {"byte": 12, "line": 2}, "end": {"byte": 13}}, "old": "2", "new": "9"}]}
        self.assertEqual([], audit.problems(before, b"a: 1 # c\nb: 9\nc: 3\n", entry))

    def test_values_are_told_apart(self):
        self.assertFalse(spelling.same(1, 1.0) or spelling.same(1, True) or spelling.same({"a": 1, "b": 2}, {"b": 2, "a": 1}))
        self.assertEqual({"1": 1, "true": 2, "null": [3], "1.5": 4}, part_yaml.as_json({"$map": [[1, 1], [True, 2], [None, [3]], [1.5, 4]]}))
        with self.assertRaises(part_yaml.Unholdable):
            part_yaml.as_json({"a": [{"$float": "nan"}]})

    def test_an_impact_that_is_not_heats_is_seen(self):
        parts = dict.fromkeys(("properties", "metadata", "update_policy", "deletion_policy", "depends_on", "description"), False)
        touched = {"action": "updated", "definition_diff": parts, "changed_properties": []}
        updated = {**touched, "changed_properties": ["name"]}
        spelled = {**touched, "definition_diff": {**parts, "properties": True}}
        every = {"none", "noop-update", "update", "replace", "may-replace", "create", "adopt", "delete", "retain", "snapshot", "refused", "missing"}
        for theirs, is_stack, well in ((updated, True, {"update", "noop-update"}), (spelled, True, {"update", "noop-update"}), (touched, False, {"update", "noop-update"}),
                                       (touched, True, {"none", "update", "noop-update"}), ({"action": "unchanged"}, True, {"none"}), ({"action": "replaced"}, False, {"replace"}),
                                       ({"action": "added"}, False, {"create", "adopt"}), ({"action": "deleted", "deletion_policy": "Retain"}, False, {"retain"}),
                                       ({"action": "forbidden"}, False, {"refused"}), ({"action": "error", "why": "external_id changed"}, False, {"refused"}), ({"action": "error"}, False, set())):
            self.assertEqual(well, {ours for ours in every if part_diff.fits(theirs, ours, is_stack)}, theirs)
        self.assertEqual([False, True], [part_diff.is_exact(updated, ours) for ours in ("noop-update", "update")])
        self.assertEqual([True, False], [part_diff.is_exact(spelled, ours) for ours in ("noop-update", "update")])

    def test_a_bare_bump_touches_the_version_that_counts(self):
        text = b"heat_template_version: pike\nheat_template_version: '2013-05-23' # c\n"
        bumped = compare.bare_bump(text, "2014-10-16")
        self.assertEqual("2014-10-16", yaml.load(bumped, Loader=spelling.HeatLoader)["heat_template_version"])
        self.assertIn(b"'2014-10-16' # c", bumped)


    def test_an_answer_that_says_less_is_seen(self):
        def report(status=0, **impacts):
            resources = [{"name": name.replace("_", "/"), "effective_impact": impact} for name, impact in impacts.items()]
            return {"status": status, "refusals": [], "resources": resources}

        for impact, harmless, well in (("replace", ("none", "noop-update", "update", "create"), ("replace", "may-replace", "not-compared")), ("update", ("none", "noop-update"), ("update", "may-replace")),
                                       ("delete", ("none", "update", "may-replace", "retain"), ("delete", "may-delete", "not-compared")), ("create", ("none", "update"), ("create", "may-create"))):
            for said in harmless:
                self.assertEqual(1, len(list(part_unknowns._less(report(a=impact), report(a=said)))), (impact, said))
            for said in well:
                self.assertEqual([], list(part_unknowns._less(report(a=impact), report(a=said))), (impact, said))
        self.assertEqual(1, len(list(part_unknowns._less(report(g="update", g_1="replace"), report(g="update")))))
        self.assertEqual([], list(part_unknowns._less(report(g_1="replace"), report(g_0="replace"))))
        self.assertEqual([], list(part_unknowns._less(report(c_1="replace"), report(c="not-compared"))))
        self.assertEqual([], list(part_unknowns._less(report(a="none"), report(a="none"))))


class Updates(unittest.TestCase):
    """What runs on the stand-in cloud, beside what is said."""

    KINDS = ("untouched", "updated-nothing", "updated", "rebuilt", "replaced", "created", "deleted", "retained")

    def accepted(self, said, kind="OS::Nova::Server", **more):
        """What may have happened where this is said."""
        return {what for what in self.KINDS if updates.compare({"impact": said}, {"type": kind, "what": what, "calls": [], **more}, ()) == (None, None)}

    def test_each_decision_accepts_what_it_says_only(self):
        for said, well in (("none", {"untouched"}), ("noop-update", {"untouched", "updated-nothing"}), ("update", {"updated"}), ("rebuild", {"rebuilt"}), ("replace", {"replaced"}), ("create", {"created"}),
                           ("delete", {"deleted"}), ("retain", {"retained"}), ("refused", set())):
            self.assertEqual(well, self.accepted(said), said)
        self.assertEqual({"updated", "updated-nothing"}, self.accepted("update", "OS::Heat::SoftwareConfig"))
        self.assertEqual(("missing", "created"), updates.compare(None, {"type": "OS::Nova::Server", "what": "created", "calls": []})[0])

    def test_a_consequence_must_be_reported(self):
        for more, harm in (({"failure": "refused"}, "refused"), ({"failure": "waits"}, "waits"), ({"gone": True}, "lost")):
            one = {"type": "OS::Nova::KeyPair", "what": "replaced", "calls": [], **more}
            self.assertEqual((None, ("nothing", harm)), updates.compare({"impact": "replace"}, one))
            self.assertEqual((None, None), updates.compare({"impact": "replace", "hazards": [{"kind": harm}]}, one))

    def known(self, rows):
        """A table of differences."""
        path = house.scratch("selftest-known") / "known.tsv"
        path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
        return part_updates.Known(path)

    def test_a_difference_needs_a_row_and_a_row_a_difference(self):
        row = ("cases", "c", "r", "decision", "none", "replaced", "43", "why")
        for rows, alike, gone in (((), 0, 0), ((row,), 1, 0), ((row, (*row[:2], "not reached", *row[3:])), 1, 0), (((*row[:5], "updated", *row[6:]),), 0, 1)):
            known = self.known(rows)
            tally = part_updates.Tally("cases", known)
            tally.add("c", "r", {"impact": "none"}, {"type": "OS::Nova::Server", "what": "replaced", "calls": []})
            self.assertEqual((alike, gone), (tally.alike, len(known.gone())), rows)
        self.assertEqual(2, len(self.known(((*row[:6], "7", "why"), (*row[:2], "x", *row[3:7], ""))).wrong()))

    def test_objects_that_differ_are_found_unless_a_loss_is_reported(self):
        def found(heat, other, losses=()):
            answer = {"dumps": {"heat": {"networks": heat}, "terraform": {"networks": other}}, "owners": {"network:s1-net-*": ["net"]}, "losses": {"terraform": list(losses)}}
            return [pair[1] for pair in part_system.Difference(answer, "terraform").found]
        net, loss = {"name": "s1-net-*", "mtu": 1400}, {"kind": "property", "owner": "net", "subject": "mtu"}
        self.assertEqual([], found({"network:s1-net-*": net}, {"network:s1-net": {"name": "s1-net", "mtu": 1400, "description": ""}}))
        for other, what in (({"network:s1-net": {"name": "s1-net", "mtu": 1300}}, ["mtu"]), ({}, ["missing"]), ({"network:s1-net": {"name": "s1-net", "mtu": 1400}, "network:x": {"name": "x"}}, ["beside"])):
            self.assertEqual(what, found({"network:s1-net-*": net}, other))
            self.assertEqual([] if what != ["beside"] else what, found({"network:s1-net-*": net}, other, [loss]))
            self.assertEqual(what, found({"network:s1-net-*": net}, other, [{**loss, "owner": "elsewhere"}]))

    def test_user_data_is_compared_as_it_is_read(self):
        self.assertEqual(part_system._user_data("#cloud-config\na: [1]\n"), part_system._user_data('#cloud-config\n"a":\n- 1\n'))
        self.assertNotEqual(part_system._user_data("#!/bin/sh\ntrue"), part_system._user_data("#!/bin/sh\nfalse"))

    def test_a_row_of_a_part_about_systems_needs_a_difference(self):
        with unittest.mock.patch.object(house, "HERE", house.scratch("selftest-systems")):
            (house.HERE / "known").mkdir()
            for row, seen, well in (("a\tc\tnet\tmtu\t51\twhy", True, 1), ("a\tc\tnet\tmtu\t51\twhy", False, 0), ("a\tother\tnet\tmtu\t51\twhy", False, 1), ("a\tc\tnet\tmtu\t51\t", True, 0)):
                (house.HERE / "known" / "table.tsv").write_text(row + "\n", encoding="utf-8")
                known, figures = systems.Known("table", False), unittest.mock.Mock()
                known.judged("a", "c")
                self.assertEqual(seen, seen and known.has("a", "c", "net", "mtu"))
                known.tell(figures)
                self.assertEqual((well, 1), figures.must.call_args.args[:2], row)

    def test_every_modeled_type_has_changes_that_differ(self):
        made = collections.Counter()
        for change in cloud_changes.every():
            for resource, what in change.whats.items():
                old, new = change.old["resources"][resource], change.new["resources"][resource]
                self.assertEqual(what == "nothing", old == new, (change.kind, what))
                made[change.kind] += what != "nothing"
        self.assertEqual(set(cloud_changes.TYPES), set(made))

    def test_a_client_on_a_cloud_that_errs_is_short(self):
        from cloud import Cloud
        with Cloud() as cloud:
            cloud.fail("create network * 503")
            with unittest.mock.patch.object(cloud.kinds["subnets"], "check", None):
                rows, ended = part_cloud.operations("openstackclient", cloud.url)
        wrong = {operation for _, operation, why in rows if why}
        self.assertEqual((len(cloud_operations.COMMANDS), []), (len(rows), ended))
        self.assertLessEqual({"create network", "host bits of a prefix"}, wrong)
        self.assertNotIn("create project", wrong)


class Corpus(unittest.TestCase):
    """What the harness says where real templates are missing."""

    def setUp(self):
        self.corpus = house.CORPUS
        house.CORPUS = house.scratch("selftest-corpus")

    def tearDown(self):
        house.CORPUS = self.corpus

    def said(self, function, *arguments, **options):
        """What a function prints and returns."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            result = function(*arguments, **options)
        return out.getvalue(), result

    def test_what_is_missing_is_told(self):
        figures = Figures("hot")
        self.assertEqual(("skipped: hot, templates (no corpus)\n", False), self.said(figures.has, "templates", what="templates"))
        (house.CORPUS / "templates").mkdir()
        self.assertEqual(("", True), self.said(figures.has, "templates"))
        self.assertEqual(("skipped: hot (the corpus has no pairs, overcloud)\n", False), self.said(figures.has, "templates", "pairs", "overcloud"))

    def test_a_part_that_needs_more_is_skipped(self):
        self.assertEqual(("skipped: upgrade (no corpus)\n", 0), self.said(conformance.run, "upgrade", False))

    def test_every_skipped_line_is_counted(self):
        ends = [("hot", False, ["skipped: hot, templates (no corpus)"]), ("upgrade", False, ["skipped: upgrade (no corpus)"]), ("texts", False, [])]
        text, status = self.said(conformance._close, ends)
        self.assertEqual(0, status)
        self.assertIn("NOT judged: 1 of 3 parts, and 1 figures of others", text)
        self.assertTrue(text.endswith("conformance: 2 of 3 parts judged, all figures are whole\n"), text)
        text, status = self.said(conformance._close, [("texts", True, []), ends[1]])
        self.assertEqual(1, status)
        self.assertIn("1 of 2 parts judged, 1 parts have figures that are short: texts", text)
        self.assertIn("0 of 1 parts judged, nothing is known", self.said(conformance._close, ends[1:2])[0])

    def test_a_folder_that_is_no_corpus_is_refused(self):
        parser = argparse.ArgumentParser()
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            conformance._take_corpus(parser, house.CORPUS)


# A bridge that is wrong in one way each: what stands in for ours is PyPI yaql itself.
_WRONG_BRIDGE = """
import json, sys
sys.path.insert(0, {here!r})
from judges import yaql_judge
yaql_judge.prepare()
for line in sys.stdin:
    request = json.loads(line)
    answer = yaql_judge.answer(request)
    answer.pop("today", None)
    manner = {manner!r}
    if manner == "length" and "len" in request["expression"] and "value" in answer:
        answer = {{"value": {{"i": "77"}}}}
    if manner == "unknown" and "sum" in request["expression"]:
        answer = {{"error": "unknown"}}
    if manner == "class" and answer.get("error") == "KeyError":
        answer["error"] = "IndexError"
    if manner == "crash" and "keys" in request["expression"]:
        sys.exit(1)
    print(json.dumps(answer), flush=True)
"""


class Yaql(unittest.TestCase):
    """What the parts about yaql say about a wrong interpreter."""

    EXPRESSIONS = ["$.data.l.len() + 1", "[1, 2].select($ + len('abc')).first()", "$.data.l.sum()", "$.data.nothing", "{a => 1}.keys()", "1 +", "now()", "set(a, b, c).join('')", "list(sequence())",
                   "datetime('10:30')"]

    def outcome(self, manner):
        """What becomes of the expressions with one wrong bridge."""
        launcher = house.scratch("selftest-yaql") / "bridge"
        launcher.write_text(f"#!{house.PYTHON}\n" + _WRONG_BRIDGE.format(here=str(house.HERE), manner=manner))
        launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
        os.environ["HOTPLATE_YAQL_BRIDGE"] = yaql_sides.BRIDGE = str(launcher)
        data = yaql_sides.encoded({"data": {"l": [1, 2, 3]}})
        return yaql_sides.compare([{"expression": text, "data": data, "options": {"heat": True}} for text in self.EXPRESSIONS])

    def test_the_judge_is_like_itself(self):
        found = self.outcome("right")
        self.assertEqual([], [miss for miss in found.misses if "now" not in miss.request["expression"]])

    def test_each_wrong_answer_is_seen(self):
        for manner, count in (("length", 2), ("unknown", 1), ("class", 1), ("crash", 1)):
            found = [miss.request["expression"] for miss in self.outcome(manner).misses if "now" not in miss.request["expression"]]
            self.assertEqual(count, len(found), (manner, found))

    def test_a_difference_is_made_small(self):
        (_, _, small), = yaql_differences.small([miss for miss in self.outcome("class").misses if "nothing" in miss.request["expression"]])
        self.assertLess(len(small["expression"]), len("$.data.nothing"))
        self.assertEqual(("IndexError", "KeyError"), (small["ours"]["error"], small["theirs"]["error"]))

    def test_generating_twice_gives_the_same_expressions(self):
        one, two = ([source.request(n) for n in range(300)] for source in (yaql_generate.Generator(1), yaql_generate.Generator(1)))
        self.assertEqual(one, two)

    def test_values_are_told_apart(self):
        for one, other, well in (({"i": "1"}, {"f": "3ff0000000000000"}, False), ({"i": "1"}, True, False), ({"s": ["a", "b"]}, {"s": ["b", "a"]}, True), ([1], {"t": [1]}, False),
                                 ({"m": [["a", 1], ["b", 2]]}, {"m": [["b", 2], ["a", 1]]}, False), ({"f": "7ff8000000000000"}, {"f": "fff8000000000001"}, True)):
            self.assertEqual(well, yaql_sides.same({"value": one}, {"value": other}), (one, other))

    def test_data_has_the_shape_that_an_expression_expects(self):
        _, engine, _ = yaql_judge.setting({"heat": True})
        shape = yaql_shapes.infer(engine("$.data.rows.where($.role = web).select($.name.toUpper())").expression)
        made = yaql_shapes.Maker(random.Random(1), empty=0).make(shape)
        self.assertEqual({"name", "role"}, set(made["data"]["rows"][0]))


class Agreement(unittest.TestCase):
    """The table of the README."""

    def short(self, n, m):
        """How many figures are short when a part prints this one for its only row."""
        row = next(row for row in agreement.ROWS if [part for part, _, _ in agreement.ROWS].count(row[0]) == 1)
        figures = Figures(row[0])
        with contextlib.redirect_stdout(io.StringIO()):
            figures.count(n, m, row[1])
            with unittest.mock.patch.object(agreement, "_table", lambda: agreement.line(row[0], row[2], 1234, 1234)):
                agreement.check(figures)
        return figures.short

    def test_a_figure_that_differs_is_short(self):
        self.assertEqual(0, self.short(1234, 1234))
        self.assertEqual(1, self.short(1233, 1234))
        self.assertEqual(1, self.short(1235, 1235))

    def test_the_readme_has_a_row_for_each_figure(self):
        rows = agreement._table().splitlines()
        for part, _, sentence in agreement.ROWS:
            self.assertEqual(1, sum(row.startswith(f"| `{part}` | {sentence} | ") for row in rows), sentence)


if __name__ == "__main__":
    os.chdir(pathlib.Path(__file__).parent)
    sys.exit(not unittest.main(exit=False, verbosity=1).result.wasSuccessful())
