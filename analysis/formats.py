"""Reports of checks in the formats of tools: SARIF for code review, JUnit for CI."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

from .checking.report import Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    "TC00": "The graph is consistent",
    "TC01": "Inputs are as promised",
    "TC02": "Outputs are as promised",
    "TC03": "Only allowed op types",
    "TC04": "No more parameters than promised",
    "TC05": "No more operations than promised",
    "TC06": "No more memory than promised",
    "TC07": "No random numbers and no state",
    "TC08": "No files",
    "TC09": "No functions of the program",
    "TC10": "TensorFlow loads the graph",
    "TC11": "No ops of unknown types",
}


def to_sarif(report: Report, path: str) -> str:
    """A report in SARIF 2.1.0: a result for each error, and for each broken point.

    Args:
        report: the report.
        path: the file that was checked.
    """
    findings = [("TC00", error) for error in report.errors]
    findings += [(point.code, f"{point.text}: {point.breach}") for point in report.breaches]
    place = {"physicalLocation": {"artifactLocation": {"uri": path}}}
    results: list[dict[str, Any]] = [
        {"ruleId": code, "level": "error", "message": {"text": text}, "locations": [place]}
        for code, text in findings
    ]
    rules = [{"id": code, "shortDescription": {"text": text}} for code, text in _RULES.items()]
    run = {"tool": {"driver": {"name": "tensordraft", "rules": rules}}, "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def to_junit(report: Report, path: str) -> str:
    """A report in JUnit's XML: a test for the graph, and one for each point of the contract.

    Args:
        report: the report.
        path: the file that was checked.
    """
    suite = ET.Element("testsuite", name=path, tests=str(1 + len(report.points)))
    suite.set("failures", str(bool(report.errors) + len(report.breaches)))
    cases = [(_RULES["TC00"], "\n".join(report.errors))]
    cases += [(f"{point.code} {point.text}", point.breach) for point in report.points]
    for name, problem in cases:
        case = ET.SubElement(suite, "testcase", name=_legal(name), classname=_legal(path))
        if problem:
            first = problem.splitlines()[0]
            ET.SubElement(case, "failure", message=_legal(first)).text = _legal(problem)
    return ET.tostring(suite, "unicode")


def _legal(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
