"""A client of the Castway gateway: every operation as a method, refusals as exceptions, events as an iterator."""

from .client import Castway, Frame, Problem

__all__ = ["Castway", "Frame", "Problem"]
__version__ = "0.1.0"
