"""The rules, in the order in which they are asked. The first that knows the message answers it."""

from __future__ import annotations

from dataclasses import replace

from agents.providers.demo.plan import Plan, Rule, in_order
from agents.providers.demo.rules.arithmetic import arithmetic_rule
from agents.providers.demo.rules.chats import chats_rule
from agents.providers.demo.rules.essays import essay_rule, go_on_rule
from agents.providers.demo.rules.help import help_rule, not_understood
from agents.providers.demo.rules.jobs import job_rule, price_lists_rule
from agents.providers.demo.rules.memory import memory_rule
from agents.providers.demo.rules.notes import delete_rule, find_rule, keep_rule, list_rule
from agents.providers.demo.rules.own_affairs import own_affairs_rule
from agents.providers.demo.rules.percent import percent_rule
from agents.providers.demo.rules.rent import rent_rule
from agents.providers.demo.rules.showcase import showcase_rule
from agents.providers.demo.rules.small_talk import hello_rule
from agents.providers.demo.rules.time import time_rule
from agents.providers.demo.rules.trouble import trouble_rule
from agents.providers.demo.rules.wording import requests_in
from agents.providers.demo.talk import Talk

# What uses tools. A message may ask for several of these, one after the other.
ACTIONS: tuple[Rule, ...] = (
    price_lists_rule,
    list_rule,
    find_rule,
    delete_rule,
    keep_rule,
    chats_rule,
    job_rule,
    time_rule,
    rent_rule,
    percent_rule,
    arithmetic_rule,
)
# What takes a message of several parts as one.
WHOLE: tuple[Rule, ...] = (price_lists_rule, arithmetic_rule)
CONVERSATION: tuple[Rule, ...] = (
    help_rule,
    hello_rule,
    go_on_rule,
    memory_rule,
    trouble_rule,
    showcase_rule,
    essay_rule,
    own_affairs_rule,
)


MAX_READ = 1_000


def choose(talk: Talk) -> Plan:
    """The plan for the last message; help when no rule knows it. Of a long one only a note can be made."""
    if len(talk.text) > MAX_READ:
        return keep_rule(talk) or not_understood(talk)
    parts = [replace(talk, text=part) for part in requests_in(talk.text)]
    if parts and not first_of(WHOLE, talk) and all(first_of(ACTIONS, part) for part in parts):
        return in_order(parts, choose_one)
    return choose_one(talk)


def choose_one(talk: Talk) -> Plan:
    return first_of((*ACTIONS, *CONVERSATION), talk) or not_understood(talk)


def first_of(rules: tuple[Rule, ...], talk: Talk) -> Plan | None:
    return next((plan for rule in rules if (plan := rule(talk)) is not None), None)
