"""``karat measures`` and ``karat profiles``: what the names mean."""

from __future__ import annotations

import click

from karat.cli.speech import say

__all__ = ["measures_command", "profiles_command"]


@click.command("measures")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def measures_command(names: tuple[str, ...]) -> None:
    """List the measures, or say what some of them mean."""
    from karat.measures import REGISTER, parse_measures

    if not names:
        space = max(map(len, REGISTER))
        say("".join(f"{name:{space}}  {each.sentence}\n" for name, each in REGISTER.items()))
    if names:
        from karat.dictionary import entry

        definitions = {each.name: each.definition for each in parse_measures(names)}
        say("\n".join(map(entry, definitions.values())))


@click.command("profiles")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def profiles_command(names: tuple[str, ...]) -> None:
    """List the named conventions of other tools, or say what some of them change."""
    from karat.profiles import profile_named, profiles

    if not names:
        space = max(map(len, profiles()))
        say("".join(f"{name:{space}}  {source}\n" for name, source in profiles().items()))
    say("\n".join(profile_named(name).describe() for name in names))
