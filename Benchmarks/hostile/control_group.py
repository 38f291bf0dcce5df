"""A control group with a limit of memory, in which a gateway under test runs."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


class ControlGroup:
    """A control group with a limit of memory; nothing but polling where none can be made."""

    ROOTS = (("/sys/fs/cgroup", "memory.max", "memory.peak", "memory.current"),
             ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.usage_in_bytes"))

    def __init__(self, limit: int) -> None:
        self.folder: Path | None = None
        self.kind = "none: resident memory is polled"
        for root, most, peak, _ in self.ROOTS:
            folder = Path(root) / f"castway-{os.getpid()}"
            if not (Path(root) / "cgroup.procs").exists():
                continue
            try:
                folder.mkdir()
            except OSError:
                continue
            try:
                (folder / most).write_text(str(limit))
                # Kept open: processes in other namespaces may not see the folder.
                self.descriptor = os.open(folder / "cgroup.procs", os.O_WRONLY)
                self.folder, self.peak_name = folder, peak
                self.kind = f"control group {folder}"
                with contextlib.suppress(OSError):
                    (folder / "memory.swap.max").write_text("0")
                return
            except OSError:
                folder.rmdir()

    def enter(self) -> None:
        """Called in the new process before it becomes the gateway."""
        if self.folder:
            os.write(self.descriptor, b"0")

    def peak(self) -> int | None:
        if not self.folder or not (self.folder / self.peak_name).exists():
            return None
        return int((self.folder / self.peak_name).read_text())

    def remove(self) -> None:
        if self.folder:
            os.close(self.descriptor)
            with contextlib.suppress(OSError):
                self.folder.rmdir()
