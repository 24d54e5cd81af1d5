"""Records: all that scores need to be made again, in one file, and what differs when they are."""

from karat.testing.records.differing import Finding
from karat.testing.records.making import record
from karat.testing.records.reading import Record, read
from karat.testing.records.verifying import Verification, verify

__all__ = ["Finding", "Record", "Verification", "read", "record", "verify"]
