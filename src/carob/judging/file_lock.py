"""A lock that lets only one process at a time write a file."""

from __future__ import annotations

import contextlib
import os
import stat
import sys

from carob.output.errors import DataError

FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class FileLock:
    """A lock on a file, held until ``release`` is called or this process ends, even if it is killed.

    The process locks a separate file, ``.NAME.lock`` in the same folder, because the file itself may be replaced.

    Args:
        path: the file to protect.

    Raises:
        DataError: another process holds the lock, or the folder is not writable.
    """

    def __init__(self, path: str) -> None:
        self.path = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.lock")
        while True:
            try:
                self.file = os.open(self.path, FLAGS, 0o600)
            except OSError as error:
                raise DataError(f"Cannot write {self.path}: {error.strerror}.") from None
            if not stat.S_ISREG(os.fstat(self.file).st_mode):
                os.close(self.file)
                raise DataError(
                    "carob judge needs this path for its lock file, but the path is not a regular file. Remove it, or "
                    "pass another file of judgments.",
                    file=self.path,
                )
            if not locked(self.file):
                holder = os.read(self.file, 20).decode("ascii", "replace").strip()
                os.close(self.file)
                who = f" (process {holder})" if holder.isdigit() else ""
                raise DataError(
                    f"another carob judge process is writing to this file{who}. Stop that process, or pass "
                    "another file.",
                    file=path,
                )
            if self.current():
                break
            os.close(self.file)  # the process that held the lock has just removed this file
        os.ftruncate(self.file, 0)
        os.write(self.file, f"{os.getpid()}\n".encode())

    def current(self) -> bool:
        """Returns whether the locked file still has its name."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self.file))
        except OSError:
            return False

    def release(self) -> None:
        """Removes the lock."""
        if sys.platform != "win32":  # Windows cannot remove an open file
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        os.close(self.file)


if sys.platform == "win32":

    def locked(file: int) -> bool:
        """Locks a file, and returns whether this was possible."""
        import msvcrt

        try:
            # The locked byte is far beyond the text, because other processes cannot read locked bytes.
            os.lseek(file, 2**20, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(file, 0, os.SEEK_SET)
        return True

else:

    def locked(file: int) -> bool:
        """Locks a file, and returns whether this was possible."""
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
