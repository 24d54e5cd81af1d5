"""What CI servers read: JUnit's XML and GitHub's workflow commands, whatever characters an id has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.output.escaping import command, printable, sentence

if TYPE_CHECKING:
    from karat.testing.gates.checks import Check, Verdict

__all__ = ["github", "junit"]


def detail(check: Check) -> list[str]:
    """The lines under a verdict."""
    lines = [check.evidence, *check.reading]
    return lines + [
        f"{each.after - each.before:+.4f}  {each.before:.4f} to {each.after:.4f}  {sentence(each.query)}"
        for each in check.worst
    ]


def junit(gate: Verdict) -> str:
    """One suite, one case a check.

    Source: the schema that Jenkins's xUnit plugin publishes; names that GitLab and others read as well.
    """
    from xml.etree import ElementTree as ET

    failures = sum(not each.passed for each in gate.checks)
    totals = {"tests": str(len(gate.checks)), "failures": str(failures), "errors": "0", "skipped": "0"}
    suites = ET.Element("testsuites", {"name": "karat gate", **totals})
    suite = ET.SubElement(suites, "testsuite", {"name": valid(gate.name), **totals})
    for each in gate.checks:
        case = ET.SubElement(suite, "testcase", {"classname": "karat.gate", "name": valid(each.title)})
        lines = "\n".join(detail(each))
        if each.passed:
            ET.SubElement(case, "system-out").text = valid(f"{each.verdict}\n{lines}")
        else:
            failure = ET.SubElement(case, "failure", {"message": valid(each.verdict), "type": each.kind})
            failure.text = valid(lines)
    ET.SubElement(suite, "system-out").text = valid("\n".join([gate.headline, *gate.remarks]))
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def valid(text: str) -> str:
    """Lines without what XML forbids, even escaped, or a terminal obeys."""
    return "\n".join(map(printable, text.split("\n")))


def github(gate: Verdict) -> str:
    """A command a line: ``error`` for what failed, ``warning`` for what passed without proving much."""
    lines = []
    for each in gate.checks:
        sentences = "\n".join([each.verdict, *detail(each)])
        if not each.passed:
            lines.append(command("error", f"karat gate: {each.title}", sentences))
        elif each.doubtful:
            lines.append(command("warning", f"karat gate: {each.title}", sentences))
    lines += [command("warning", "karat gate", sentence(each)) for each in gate.notes]
    return "".join(f"{line}\n" for line in lines)
