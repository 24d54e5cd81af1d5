"""Records: all that scores need to be made again, in one file, and what differs when they are."""

from karat.records.differing import Finding
from karat.records.making import record
from karat.records.reading import Record, read
from karat.records.verifying import Verification, verify

__all__ = ["Finding", "Record", "Verification", "read", "record", "verify"]
