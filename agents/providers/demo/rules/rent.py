"""What a monthly or yearly amount comes to over some years, with value added tax and a yearly rise."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from agents.providers.demo.markdown import block, table
from agents.providers.demo.numbers import (
    COUNT,
    NUMBER,
    PERCENT,
    UNITS,
    count,
    decimal,
    money,
    number_word,
    shown,
    with_percents,
    written,
)
from agents.providers.demo.plan import Call, Plan, Step, joined
from agents.providers.demo.rules.failures import sum_failure
from agents.providers.demo.rules.wording import any_of
from agents.providers.demo.talk import Talk

MAX_YEARS = 30
MAX_AMOUNT = 10**12
SPELT_OUT = 6  # up to so many years the factors stand in the expression one by one
VAT = {False: Decimal(19), True: Decimal(9)}
SUBJECT = re.compile(
    r"\b(?:rent|pay|costs?|lease|vat|tax|month(?:ly)?|rise)\b|租|付|花|税|每?月|涨", re.IGNORECASE
)
YEARS = re.compile(rf"\b(?!an?\b)(?P<en>{COUNT})[\s-]years?\b|(?P<zh>{COUNT})\s*年", re.IGNORECASE)
RISE = any_of(
    rf"(?:\+|plus|by|at|with|rising|rises?|涨幅?|上涨|增长|递增)\s*(?:a\s+rise\s+of\s+)?\+?(?P<rate>{PERCENT})",
    rf"(?P<rate2>{PERCENT})\s*(?:more\s+)?(?:a|per|each|every)\s+year",
)
TAX = any_of(
    rf"(?P<before>{PERCENT})\s*(?:vat|sales tax|tax|的?增值税|的?税)",
    rf"(?:vat|tax|增值税|税率?)\s*(?:of|at|is|=|为|是)?\s*(?P<after>{PERCENT})",
    r"(?P<bare>\bvat\b|\btax\b|税)",
)
AMOUNT = re.compile(
    rf"(?P<sign>[€$£¥])?\s?(?P<amount>{NUMBER}{UNITS})\s?(?P<unit>€|\$|£|¥|eur|usd|gbp|chf|euros?|元)?",
    re.IGNORECASE,
)
YEARLY = re.compile(r"\s*(?:a|per|each|every|/)\s*year|\s*(?:yearly|annually|每年)", re.IGNORECASE)
CURRENCIES = {"eur": "€", "euro": "€", "euros": "€", "usd": "$", "gbp": "£", "chf": "CHF"}

FUNCTION = """\
def rent(month: float, years: int, rise: float = {rise}) -> float:
    return sum(month * 12 * (1 + rise) ** y for y in range(years))

print(f"{{rent({month}, {years}):,.2f}}")  # {total}
"""


@dataclass(frozen=True, slots=True)
class Rent:
    """`tax` and `rise` are factors: 1.19 and 1.03. `months`: how often the amount is paid in a year."""

    amount: Decimal
    years: int
    tax: Decimal
    rise: Decimal
    months: int
    currency: str

    def price(self, value: Decimal) -> str:
        is_before = self.currency in ("$", "£", "¥")
        return f"{self.currency}{money(value)}" if is_before else f"{money(value)} {self.currency}"


def rent_rule(talk: Talk) -> Plan | None:
    if "calculator" not in talk.tools or len(talk.text) > 400:
        return None
    rent = read_rent(replace(talk, text=with_percents(talk.text)))
    return tell_rent(talk, rent) if rent else None


def read_rent(talk: Talk) -> Rent | None:
    years = YEARS.search(talk.text)
    if not SUBJECT.search(talk.text) or years is None:
        return None
    rest = YEARS.sub(" ", talk.text)
    rise, tax = RISE.search(TAX.sub(" ", rest)), TAX.search(rest)
    amount = AMOUNT.search(re.sub(PERCENT, " ", rest, flags=re.IGNORECASE))
    number = count(years["en"] or years["zh"])
    if amount is None or not 2 <= number <= MAX_YEARS or decimal(amount["amount"]) > MAX_AMOUNT:
        return None
    return Rent(
        amount=decimal(amount["amount"]),
        years=number,
        tax=factor(tax_rate(talk, tax)) if tax else Decimal(1),
        rise=factor(decimal(rise["rate"] or rise["rate2"])) if rise else Decimal(1),
        months=1 if YEARLY.match(amount.string, amount.end()) else 12,
        currency=currency_of(talk, amount),
    )


def tax_rate(talk: Talk, match: re.Match[str]) -> Decimal:
    rate = match["before"] or match["after"]
    return decimal(rate) if rate else VAT[talk.is_chinese]


def factor(rate: Decimal) -> Decimal:
    return 1 + rate / 100


def currency_of(talk: Talk, amount: re.Match[str]) -> str:
    named = amount["sign"] or (amount["unit"] or "").lower()
    return CURRENCIES.get(named, named) or talk.pick("€", "元")


def tell_rent(talk: Talk, rent: Rent) -> Plan:
    month, thinking = rent.amount, thoughts(talk, rent)
    if rent.tax != 1:
        call = Call("calculator", {"expression": f"{written(rent.amount)} * {written(rent.tax)}"})
        outcomes = yield Step(thinking=thinking, calls=(call,))
        if problem := sum_failure(talk, outcomes):
            return Step(problem)
        month, thinking = Decimal(outcomes[0].output), ""
    outcomes = yield Step(
        thinking=thinking, calls=(Call("calculator", {"expression": expression(rent, month)}),)
    )
    if problem := sum_failure(talk, outcomes):
        return Step(problem)
    total = Decimal(outcomes[0].output)
    return Step(
        joined(
            summary(talk, rent, month, total),
            years_table(talk, rent, month, total),
            function(talk, rent, month, total),
        )
    )


def expression(rent: Rent, month: Decimal) -> str:
    base = f"{written(month)} * 12" if rent.months == 12 else written(month)
    rise = written(rent.rise)
    if rent.rise == 1:
        return f"{base} * {rent.years}"
    if rent.years > SPELT_OUT:
        return f"{base} * ({rise}**{rent.years} - 1) / {written(rent.rise - 1)}"
    powers = ["1", rise, *(f"{rise}**{year}" for year in range(2, rent.years))]
    return f"{base} * ({' + '.join(powers[: rent.years])})"


def thoughts(talk: Talk, rent: Rent) -> str:
    english = [f"An amount of {shown(rent.amount)}, for {number_word(rent.years)} years."]
    chinese = [f"金额 {shown(rent.amount)}，{rent.years} 年。"]
    if rent.tax != 1:
        english.append(f"The tax comes first: I take {percent(rent.tax)} and add it to the amount.")
        chinese.append(f"先算税：按 {percent(rent.tax)} 加到金额上。")
    if rent.rise != 1:
        english.append(
            f"Then each year costs {percent(rent.rise)} more than the one before: a geometric series."
        )
        chinese.append(f"之后每年比上一年多 {percent(rent.rise)}，各年构成等比数列。")
    english.append("I let the calculator do it, to be exact.")
    chinese.append("用计算器算，保证准确。")
    return talk.pick(" ".join(english), "".join(chinese))


def percent(factor: Decimal) -> str:
    return f"{shown((factor - 1) * 100)} %"


def summary(talk: Talk, rent: Rent, month: Decimal, total: Decimal) -> str:
    unit, unit_zh = ("month", "每月") if rent.months == 12 else ("year", "每年")
    english, chinese = f"Over {number_word(rent.years)} years", f"{rent.years} 年"
    if rent.tax != 1:
        english = f"With {percent(rent.tax)} VAT a {unit} costs {rent.price(month)}. {english}"
        chinese = f"加上 {percent(rent.tax)} 的税，{unit_zh} {rent.price(month)}。{chinese}"
    if rent.rise != 1:
        english += f", rising {percent(rent.rise)} a year"
        chinese += f"，每年上涨 {percent(rent.rise)}"
    price = f"**{rent.price(total)}**"
    return talk.pick(f"{english}, that is {price}:", f"{chinese}，总共是 {price}：")


def years_table(talk: Talk, rent: Rent, month: Decimal, total: Decimal) -> str:
    each = [month * rent.rise**year for year in range(rent.years)]
    name = talk.pick("Total", "合计")
    if rent.months == 1:
        rows = [[str(year), rent.price(value)] for year, value in enumerate(each, start=1)]
        head = talk.pick("Year|Amount", "年份|金额").split("|")
        return table(head, [*rows, [f"**{name}**", f"**{rent.price(total)}**"]], right="lr")
    rows = [
        [str(year), rent.price(value), rent.price(value * 12)] for year, value in enumerate(each, start=1)
    ]
    head = talk.pick("Year|Month|Year", "年份|每月|全年").split("|")
    return table(head, [*rows, [f"**{name}**", "", f"**{rent.price(total)}**"]], right="lrr")


def function(talk: Talk, rent: Rent, month: Decimal, total: Decimal) -> str:
    source = FUNCTION.format(
        rise=written(rent.rise - 1), month=money(month).replace(",", ""), years=rent.years, total=money(total)
    )
    if rent.months == 1:
        source = source.replace("month", "year").replace("year * 12", "year")
    intro = talk.pick("As a function, if you want to try other rates:", "写成函数，方便换成别的比率再算：")
    return joined(intro, block("python", source))
