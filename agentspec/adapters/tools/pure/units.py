"""units: the same quantity in another unit. A table of exact factors; nothing is rounded here.

Factors are exact by definition: the international yard and pound (1959), the SI brochure, IEC 80000-13.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from agentspec.adapters.tools.pure.pure import Unfit
from agentspec.text.suggest import nearest

# By quantity: how many of the first unit one unit is. Names behind `=` are other spellings.
_TABLE: dict[str, dict[str, str]] = {
    "length": {
        "m=meter=metre": "1",
        "km=kilometer=kilometre": "1000",
        "cm=centimeter=centimetre": "0.01",
        "mm=millimeter=millimetre": "0.001",
        "um=µm=micrometer": "0.000001",
        "nm=nanometer": "0.000000001",
        "in=inch": "0.0254",
        "ft=foot=feet": "0.3048",
        "yd=yard": "0.9144",
        "mi=mile": "1609.344",
        "nmi=nautical mile": "1852",
    },
    "area": {
        "m2=m²=square meter": "1",
        "km2=km²": "1000000",
        "cm2=cm²": "0.0001",
        "ha=hectare": "10000",
        "ft2=ft²=sqft=square foot": "0.09290304",
        "acre": "4046.8564224",
        "mi2=mi²=square mile": "2589988.110336",
    },
    "volume": {
        "l=liter=litre": "1",
        "ml=milliliter": "0.001",
        "cl": "0.01",
        "m3=m³=cubic meter": "1000",
        "cm3=cm³": "0.001",
        "gal=gallon": "3.785411784",
        "qt=quart": "0.946352946",
        "pt=pint": "0.473176473",
        "cup": "0.2365882365",
        "floz=fluid ounce": "0.0295735295625",
        "tbsp=tablespoon": "0.01478676478125",
        "tsp=teaspoon": "0.00492892159375",
        "ukgal=imperial gallon": "4.54609",
    },
    "mass": {
        "kg=kilogram": "1",
        "g=gram": "0.001",
        "mg=milligram": "0.000001",
        "t=tonne": "1000",
        "lb=pound": "0.45359237",
        "oz=ounce": "0.028349523125",
        "st=stone": "6.35029318",
        "ton=short ton": "907.18474",
    },
    "time": {
        "s=sec=second": "1",
        "ms=millisecond": "0.001",
        "us=µs=microsecond": "0.000001",
        "min=minute": "60",
        "h=hr=hour": "3600",
        "d=day": "86400",
        "wk=week": "604800",
    },
    "speed": {"m/s=mps": "1", "km/h=kmh=kph": "5/18", "mph=mi/h": "0.44704", "kn=knot": "1852/3600", "ft/s": "0.3048"},
    "data": {
        "B=byte": "1",
        "bit": "0.125",
        "kB=KB=kilobyte": "1000",
        "MB=megabyte": "1000000",
        "GB=gigabyte": "1000000000",
        "TB=terabyte": "1000000000000",
        "KiB": "1024",
        "MiB": "1048576",
        "GiB": "1073741824",
        "TiB": "1099511627776",
        "kbit": "125",
        "Mbit": "125000",
        "Gbit": "125000000",
    },
    "energy": {
        "J=joule": "1",
        "kJ=kilojoule": "1000",
        "cal=calorie": "4.184",
        "kcal=kilocalorie": "4184",
        "Wh": "3600",
        "kWh": "3600000",
    },
    "power": {"W=watt": "1", "kW=kilowatt": "1000", "MW=megawatt": "1000000", "hp=horsepower": "745.69987158227022"},
    "pressure": {"Pa=pascal": "1", "hPa": "100", "kPa": "1000", "bar": "100000", "mbar": "100", "atm": "101325"},
    "angle": {"deg=°=degree": "1", "turn": "360", "arcmin": "1/60", "arcsec": "1/3600"},
}
# Of temperatures: how many kelvin a degree is, and how many kelvin its zero is.
_TEMPERATURES = {
    "K=kelvin": ("1", "0"),
    "C=°C=celsius": ("1", "273.15"),
    "F=°F=fahrenheit": ("5/9", "45967/180"),
}


class Unit(NamedTuple):
    """A unit as so many of the first one of its quantity, from its own zero on."""

    quantity: str
    factor: Fraction
    zero: Fraction = Fraction(0)


@cache
def _units() -> dict[str, Unit]:
    """Every spelling of every unit."""
    found: dict[str, Unit] = {}
    for quantity, units in _TABLE.items():
        for names, factor in units.items():
            found.update(dict.fromkeys(names.split("="), Unit(quantity, Fraction(factor))))
    for names, (factor, zero) in _TEMPERATURES.items():
        found.update(dict.fromkeys(names.split("="), Unit("temperature", Fraction(factor), Fraction(zero))))
    return found


def convert(value: Fraction, unit: str, to: str) -> Fraction:
    """The value in the unit `to`. Raises `Unfit` for an unknown unit or two that measure different things.

    >>> convert(Fraction(26), "mi", "km"), convert(Fraction(212), "F", "celsius")
    (Fraction(5230368, 125000), Fraction(100, 1))
    """
    source, target = _find(unit), _find(to)
    if source.quantity != target.quantity:
        raise Unfit(f"`{unit}` measures {source.quantity} and `{to}` {target.quantity}")
    return (value * source.factor + source.zero - target.zero) / target.factor


def _find(name: str) -> Unit:
    """By its spelling, else as the plural, else in any case where only one unit fits."""
    units = _units()
    for spelling in (name, name.removesuffix("s"), name.removesuffix("es")):
        if spelling in units:
            return units[spelling]
    folded = {id(unit): unit for known, unit in units.items() if known.lower() == name.lower().strip()}
    if len(folded) == 1:
        return next(iter(folded.values()))
    near = nearest(name, units)
    raise Unfit(
        f"unknown unit `{name[:60]}`; " + (f"did you mean `{near[0]}`?" if near else "write it as `km` or `mile`")
    )
