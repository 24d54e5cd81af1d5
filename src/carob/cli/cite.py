"""The command ``carob cite``."""

from __future__ import annotations

import click

from carob._version import __version__
from carob.cli.options import Given, options
from carob.cli.terminal import say, text_columns

BIBTEX = """\
@software{{carob,
  author  = {{{{The carob developers}}}},
  title   = {{carob}},
  version = {{{version}}},
  license = {{Apache-2.0}},
}}
"""
"""The BibTeX entry for carob. The doubled braces keep the author's name together."""


@click.command("cite")
@options("cite")
def cite_command(given: Given) -> None:
    """Print text for a paper that reports scores: measures, version, conventions and sources, and BibTeX for carob.

    Pass the options with which the scores were computed:

    \b
        carob cite -m nDCG@10 -m AP
        carob cite -m ndcg@10 --profile ranx --missing zero
    """
    from carob.conventions.request import conventions, labelled
    from carob.output.layout import folded_each

    profile, policy = conventions(given.profile, given.policy)
    asked = labelled(given.measures, profile)
    names = [label if label == str(meant) else f"{label} ({meant})" for label, meant in asked.items()]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    rules = f"policy {policy.describe()}"
    if given.profile is not None:
        changes = policy.changes(profile.policy)
        rules = f"conventions of {profile.source}{', changed: ' if changes else ''}{', '.join(changes)}"
    sources = {each.name: each.definition.source for each in asked.values()}
    sentences = [
        f"We report {listed}, computed with carob {__version__} ({rules}).",
        *(f"{name}: {source}." for name, source in sources.items() if source),
    ]
    columns = text_columns()
    say("".join(folded_each(sentences, columns)))
    say("\n" + BIBTEX.format(version=__version__))
