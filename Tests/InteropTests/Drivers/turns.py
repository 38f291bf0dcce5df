"""Lets one thread at a time use a TLS connection, as newer Pythons do by themselves.

pychromecast sends from the caller's thread and from its own. Older Pythons do not keep the two apart, and when the
answer to a request arrives before the thread that sent it has returned, which happens on one machine, what is sent
next is garbled. This uses a hook of the standard library; pychromecast is as it was published.
"""

from __future__ import annotations

import select
import ssl
import threading
from typing import Any


class TurnTakingSocket(ssl.SSLSocket):
    """A TLS socket that takes turns."""

    _turn: threading.RLock

    def __new__(cls, *args: Any, **kwargs: Any) -> TurnTakingSocket:
        made = super().__new__(cls, *args, **kwargs)
        made._turn = threading.RLock()
        return made

    def sendall(self, data: Any, flags: int = 0) -> None:
        with self._turn:
            super().sendall(data, flags)

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        timeout = self.gettimeout()
        while True:
            with self._turn:
                # A driver that waits for data must not keep others from sending.
                self.settimeout(0)
                try:
                    return super().recv(buflen, flags)
                except ssl.SSLWantReadError:
                    pass
                finally:
                    self.settimeout(timeout)
            if not select.select([self], [], [], timeout)[0]:
                raise TimeoutError("nothing came")


def take_turns() -> None:
    """Makes every TLS connection that is opened from now on take turns."""
    ssl.SSLContext.sslsocket_class = TurnTakingSocket
