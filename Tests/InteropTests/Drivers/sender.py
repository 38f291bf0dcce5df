"""A pychromecast sender that can be waited for, and what it sees as plain data."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

import pychromecast
from pychromecast.controllers import BaseController
from pychromecast.controllers.media import MediaController, MediaStatus, MediaStatusListener
from pychromecast.controllers.receiver import (
    CastStatus,
    CastStatusListener,
    LaunchErrorListener,
    LaunchFailure,
)
from pychromecast.socket_client import (
    CONNECTION_STATUS_CONNECTED,
    CONNECTION_STATUS_LOST,
    ConnectionStatus,
    ConnectionStatusListener,
)

HOST = "127.0.0.1"
DEADLINE = 20.0
"""Seconds until a driver stops waiting for what should have come."""

NS_CONNECTION = "urn:x-cast:com.google.cast.tp.connection"
NS_MEDIA = "urn:x-cast:com.google.cast.media"
MEDIA_APP = "CC1AD845"

Message = dict[str, Any]


class Tap(BaseController):
    """Hands every message of a namespace on, beside the controllers that pychromecast has for it."""

    def __init__(self, namespace: str, receive: Callable[[Message], None]) -> None:
        super().__init__(namespace)
        self._receive = receive

    def receive_message(self, _message: Any, data: Message) -> bool:
        self._receive(data)
        return True


class Sender(CastStatusListener, MediaStatusListener, ConnectionStatusListener, LaunchErrorListener):
    """One Chromecast object with its own channel.

    Everything that arrives wakes up ``wait_until``, so nothing here polls.
    """

    def __init__(self, name: str, port: int, host: str = HOST) -> None:
        self.name = name
        self._news = threading.Condition(threading.RLock())
        self.is_up = False
        """True from the first receiver status of a channel until that channel is lost."""
        self.times_lost = 0
        self.closed_ends: list[str] = []
        self.launch_failure: LaunchFailure | None = None
        self.load_failure: tuple[int, int] | None = None
        self.raw_media: Message = {}
        """The fields of MEDIA_STATUS, of which pychromecast keeps only some."""
        self.player_states: set[str] = set()
        self.media_sessions: set[int] = set()
        self.queue_changes: list[str] = []

        # The short wait lets a reconnect follow the gateway's restart closely; the default is five seconds.
        self.cast = pychromecast.get_chromecast_from_host(
            (host, port, uuid.uuid4(), "Chromecast", name), retry_wait=0.1, timeout=DEADLINE
        )
        self.cast.register_status_listener(self)
        self.cast.register_connection_listener(self)
        self.cast.register_launch_error_listener(self)
        self.cast.media_controller.register_status_listener(self)
        self.cast.register_handler(Tap(NS_MEDIA, self._receive_media))
        self.cast.socket_client.register_handler(Tap(NS_CONNECTION, self._receive_connection))

    @property
    def media(self) -> MediaController:
        return self.cast.media_controller

    @property
    def status(self) -> MediaStatus:
        return self.media.status

    @property
    def status_text(self) -> str | None:
        """What the running app says of itself in RECEIVER_STATUS."""
        return self.cast.status.status_text if self.cast.status else None

    @property
    def raw_title(self) -> str | None:
        """The title in the last MEDIA_STATUS that had one."""
        return ((self.raw_media.get("media") or {}).get("metadata") or {}).get("title")

    @property
    def is_muted(self) -> bool:
        return self.cast.status is not None and self.cast.status.volume_muted

    def has_volume(self, level: float) -> bool:
        return self.cast.status is not None and abs(self.cast.status.volume_level - level) < 0.001

    # What pychromecast reports, on its own thread.

    def new_cast_status(self, status: CastStatus) -> None:
        with self._news:
            self.is_up = True
            self._news.notify_all()

    def new_media_status(self, status: MediaStatus) -> None:
        self.wake()

    def load_media_failed(self, queue_item_id: int, error_code: int) -> None:
        with self._news:
            self.load_failure = (queue_item_id, error_code)
            self._news.notify_all()

    def new_launch_error(self, status: LaunchFailure) -> None:
        with self._news:
            self.launch_failure = status
            self._news.notify_all()

    def new_connection_status(self, status: ConnectionStatus) -> None:
        with self._news:
            if status.status == CONNECTION_STATUS_LOST:
                self.times_lost += 1
            if status.status in (CONNECTION_STATUS_LOST, CONNECTION_STATUS_CONNECTED):
                self.is_up = False
            self._news.notify_all()

    def _receive_media(self, data: Message) -> None:
        with self._news:
            if data.get("type") == "MEDIA_STATUS":
                for status in data["status"][:1]:
                    self.raw_media.update(status)
                    self.player_states.add(status["playerState"])
                    self.media_sessions.add(status["mediaSessionId"])
            elif data.get("type") == "QUEUE_CHANGE":
                self.queue_changes.append(data["changeType"])
            self._news.notify_all()

    def _receive_connection(self, data: Message) -> None:
        with self._news:
            self.closed_ends.append(data["type"])
            self._news.notify_all()

    # What drivers use.

    def connect(self) -> None:
        """Connects and waits for the first receiver status."""
        self.cast.wait(timeout=DEADLINE)

    def wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def wait_until(self, is_true: Callable[[Sender], bool], deadline: float = DEADLINE) -> bool:
        """Waits until something holds; looks again whenever anything arrives. False when the deadline passed."""
        with self._news:
            return self._news.wait_for(lambda: is_true(self), timeout=deadline)

    def forget(self) -> None:
        """Forgets what earlier steps left behind."""
        with self._news:
            self.queue_changes.clear()
            self.closed_ends.clear()
            self.launch_failure = None
            self.load_failure = None

    def ask(self, controller: BaseController, message: Message, *, session: bool = False) -> Message | None:
        """Sends a request for which pychromecast has no method, and waits for its answer; None when none came."""
        done = threading.Event()
        answers: list[Message | None] = []

        def answered(_sent: bool, answer: Message | None) -> None:
            answers.append(answer)
            done.set()

        controller.send_message(message, inc_session_id=session, callback_function=answered)
        return answers[0] if done.wait(DEADLINE) else None

    def ask_media(self, kind: str, **fields: Any) -> Message | None:
        """Sends a request about the current media session."""
        return self.ask(
            self.media,
            {"type": kind, "mediaSessionId": self.status.media_session_id, **fields},
            session=True,
        )

    def queue(self) -> list[int]:
        """The ids of the queue's items in order."""
        answer = self.ask_media("QUEUE_GET_ITEM_IDS")
        return [] if answer is None else list(answer.get("itemIds", []))

    def sighting(self) -> dict[str, Any]:
        """What this sender sees now, for the test."""
        cast, media = self.cast.status, self.status
        style = (self.raw_media.get("media") or {}).get("textTrackStyle") or {}
        return {
            "appID": cast.app_id if cast else None,
            "appName": cast.display_name if cast else None,
            "statusText": self.status_text,
            "namespaces": cast.namespaces if cast else [],
            "volume": round(cast.volume_level, 3) if cast else None,
            "isMuted": cast.volume_muted if cast else None,
            "playerState": media.player_state,
            "idleReason": media.idle_reason,
            "mediaSessionID": media.media_session_id,
            "title": media.title,
            "contentID": media.content_id,
            "contentType": media.content_type,
            "streamType": media.stream_type,
            "duration": media.duration,
            "position": media.adjusted_current_time,
            "images": [image.url for image in media.images],
            "commands": media.supported_media_commands,
            "streamVolume": round(media.volume_level, 3),
            "isStreamMuted": media.volume_muted,
            "rate": media.playback_rate,
            "tracks": [track["trackId"] for track in media.subtitle_tracks or []],
            "activeTracks": media.current_subtitle_tracks,
            "textColor": style.get("foregroundColor"),
            "itemID": self.raw_media.get("currentItemId"),
            "repeatMode": self.raw_media.get("repeatMode"),
        }
