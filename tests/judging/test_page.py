"""The judging page as HTML, and the policy that lets nothing but its own scripts and styles run."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from carob.judging.page import digests, judging_page, policy_of


def hash_of(text: str) -> str:
    """A hash as a policy has it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_hashes_are_those_of_content_security_policies() -> None:
    """The example is that of the specification, Content Security Policy Level 3."""
    assert digests(["alert('Hello, world.');"]) == "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
    assert digests(["a", "b"]) == f"{hash_of('a')} {hash_of('b')}"
    assert digests([]) == "'none'"


@pytest.mark.parametrize(("connected", "where"), [(True, "'self'"), (False, "'none'")])
def test_a_policy_allows_nothing_else(connected: bool, where: str) -> None:
    found = dict(each.split(" ", 1) for each in policy_of(["a"], connected=connected).split("; "))
    assert found == {
        "default-src": "'none'",
        "script-src": hash_of("a"),
        "style-src": "'none'",
        "connect-src": where,
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


@pytest.mark.parametrize("connected", [True, False])
def test_the_policy_has_the_hashes_of_what_the_page_contains(connected: bool) -> None:
    pytest.importorskip("jinja2", reason="the page needs carob[judge]")
    data = {"queries": [{"text": "</script><script>alert(1)</script>"}]}
    html, policy = judging_page(data, connected=connected)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert (len(scripts), len(styles)) == (2, 1)
    assert policy == policy_of(scripts, styles, connected=connected)
    text = html.partition('id="data">')[2].partition("</script>")[0]
    assert json.loads(text) == {**data, "connected": connected}
