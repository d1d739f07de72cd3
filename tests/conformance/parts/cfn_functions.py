"""Calls of the functions of Heat's CFN formats with arguments of all shapes, odd definitions and sections: the same values, or the
same failures in the same places."""

import json

from generators import cfn_cases
from judges import evaluation
from judges.judge import Judge
from parts import eval as part_eval


def run(figures, _full):
    """The part."""
    texts = [json.dumps(template) for template in cfn_cases.templates()]
    with Judge() as judge:
        theirs = judge.ask([{"op": "resolve", "template": text, "client": True, "fill": True} for text in texts], remember=True)
    asked = [(text, answer) for text, answer in zip(texts, theirs) if "parameters" in answer]
    requests = [{"template": text, "parameters": answer["parameters"], "fill": True} for text, answer in asked]
    same, misses = 0, []
    for (text, answer), mine in zip(asked, evaluation.evaluate(requests, "cfn_functions")):
        wrong = [mine["unread"]] if "unread" in mine else part_eval.wrong_places(mine, answer)
        same += not wrong
        if wrong:
            misses.append(f"{text[-400:]}: " + "\n  ".join(wrong[:3]))
    figures.must(same, len(asked), "templates: the same values and failures as Heat's", misses)
    figures.count(len(asked), len(texts), "templates whose parameters Heat reads")
