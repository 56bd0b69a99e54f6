"""What a monthly or yearly amount comes to over some years, with value added tax and a yearly rise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from agents.providers.demo.markdown import block, table
from agents.providers.demo.numbers import COUNT, NUMBER, PERCENT, UNITS, count, decimal, money, shown, written
from agents.providers.demo.plan import Call, Plan, Step, joined
from agents.providers.demo.rules.failures import failure
from agents.providers.demo.rules.wording import any_of
from agents.providers.demo.talk import Talk

MAX_YEARS = 30
SPELT_OUT = 6  # up to so many years the factors stand in the expression one by one
VAT = {False: Decimal(19), True: Decimal(9)}
SUBJECT = re.compile(
    r"\b(?:rent|pay|costs?|lease|vat|tax|month(?:ly)?|rise)\b|租|付|花|税|每?月|涨", re.IGNORECASE
)
YEARS = re.compile(rf"\b(?P<en>{COUNT})[\s-]years?\b|(?P<zh>{COUNT})\s*年", re.IGNORECASE)
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
        return f"{money(value)} {self.currency}"


def rent_rule(talk: Talk) -> Plan | None:
    if "calculator" not in talk.tools or len(talk.text) > 400:
        return None
    rent = read_rent(talk)
    return tell_rent(talk, rent) if rent else None


def read_rent(talk: Talk) -> Rent | None:
    years = YEARS.search(talk.text)
    if not SUBJECT.search(talk.text) or years is None:
        return None
    rest = YEARS.sub(" ", talk.text)
    rise, tax = RISE.search(TAX.sub(" ", rest)), TAX.search(rest)
    amount = next((m for m in AMOUNT.finditer(re.sub(PERCENT, " ", rest, flags=re.IGNORECASE))), None)
    number = count(years["en"] or years["zh"])
    if amount is None or not 1 <= number <= MAX_YEARS:
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
        if problem := failure(talk, outcomes):
            return Step(problem)
        month, thinking = decimal(outcomes[0].output), ""
    outcomes = yield Step(
        thinking=thinking, calls=(Call("calculator", {"expression": expression(rent, month)}),)
    )
    if problem := failure(talk, outcomes):
        return Step(problem)
    total = decimal(outcomes[0].output)
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
    parts = [
        talk.pick(
            f"An amount of {shown(rent.amount)}, for {rent.years} years.",
            f"金额 {shown(rent.amount)}，{rent.years} 年。",
        )
    ]
    if rent.tax != 1:
        percent = shown((rent.tax - 1) * 100)
        parts.append(
            talk.pick(
                f"The tax comes first: I take {percent} % and add it to the amount.",
                f"先算税：按 {percent} % 加到金额上。",
            )
        )
    if rent.rise != 1:
        percent = shown((rent.rise - 1) * 100)
        parts.append(
            talk.pick(
                f"Then each year costs {percent} % more than the one before, so the years are a geometric "
                "series, "
                "and the first one has the factor 1.",
                f"之后每年比上一年多 {percent} %，所以各年构成等比数列，第一年的系数是 1。",
            )
        )
    parts.append(talk.pick("I let the calculator do it, to be exact.", "用计算器算，保证准确。"))
    return " ".join(parts) if not talk.is_chinese else "".join(parts)


def summary(talk: Talk, rent: Rent, month: Decimal, total: Decimal) -> str:
    unit = talk.pick("month" if rent.months == 12 else "year", "每月" if rent.months == 12 else "每年")
    tax, rise = shown((rent.tax - 1) * 100), shown((rent.rise - 1) * 100)
    with_tax = talk.pick(
        f"With {tax} % VAT a {unit} costs {rent.price(month)}. ",
        f"加上 {tax} % 的税，{unit} {rent.price(month)}。",
    )
    rising = talk.pick(f", rising {rise} % a year", f"，每年上涨 {rise} %")
    years = talk.pick(f"Over {rent.years} years" if rent.years > 1 else "Over one year", f"{rent.years} 年")
    return (
        (with_tax if rent.tax != 1 else "")
        + years
        + (rising if rent.rise != 1 else "")
        + talk.pick(f", that is **{rent.price(total)}**:", f"，总共是 **{rent.price(total)}**：")
    )


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
