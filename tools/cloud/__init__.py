"""A stand-in for OpenStack on 127.0.0.1, for judging: real clients create, change and delete objects in memory. See README.md."""

from .core import Cloud, Refused
from .dump import canonical, journal_lines

__all__ = ["Cloud", "Refused", "canonical", "journal_lines"]
