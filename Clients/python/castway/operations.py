"""The operations of a gateway, made from its catalogue by `make docs`. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, Protocol


class Caller(Protocol):
    """Has operations done."""

    def call(
        self, name: str, /, *, wait: float | None = None, idempotency_key: str | None = None, **values: Any
    ) -> dict[str, Any]: ...


class BridgeOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def resume(self, *, bridge: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Has a bridge tried at once that cannot be reached, or that wanted nothing any more.

        bridge: The bridge as `bridges.list` has it.
        """
        return self._caller.call("bridge.resume", bridge=bridge, idempotency_key=idempotency_key)


class BridgesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the bridges, with what waits for each."""
        return self._caller.call("bridges.list")


class CatalogueOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, *, catalogue: str, category: str | None = None, search: str | None = None, offset: int | None = None, limit: int | None = None) -> dict[str, Any]:
        """Shows the items of a catalogue, a page at a time.

        catalogue: The catalogue as `catalogue.list` has it.
        category: Only items of this category.
        search: Only items with this text in the title, in capitals or not.
        offset: How many items are left out at the beginning.
        limit: How many items are wanted.
        """
        return self._caller.call("catalogue.get", catalogue=catalogue, category=category, search=search, offset=offset, limit=limit)

    def list(self) -> dict[str, Any]:
        """Lists the catalogues, with how each stands."""
        return self._caller.call("catalogue.list")

    def refresh(self, *, catalogue: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Reads a catalogue now, and tells how it stands then.

        catalogue: The catalogue as `catalogue.list` has it.
        """
        return self._caller.call("catalogue.refresh", catalogue=catalogue, idempotency_key=idempotency_key)


class ChannelOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def close(self, *, device: str, namespace: str, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Closes a channel of the gateway's own session with the app on a real device.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        namespace: The channel.
        """
        return self._caller.call("channel.close", device=device, namespace=namespace, wait=wait, idempotency_key=idempotency_key)

    def open(self, *, device: str, namespace: str, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Opens a channel of the gateway's own session with the app on a real device.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        namespace: The channel.
        """
        return self._caller.call("channel.open", device=device, namespace=namespace, wait=wait, idempotency_key=idempotency_key)

    def test(self, *, namespace: str, device: str | None = None, json: Any | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Sends one message through the bridges of a channel, and tells each step.

        namespace: The channel.
        device: The virtual device whose channel is meant; without it those of all.
        json: What is sent; `{}` without it.
        """
        return self._caller.call("channel.test", namespace=namespace, device=device, json=json, idempotency_key=idempotency_key)


class ChannelsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, device: str | None = None, namespace: str | None = None) -> dict[str, Any]:
        """Lists the channels of the gateway's own sessions with apps on real devices.

        device: A real device; without it all with a session.
        namespace: One channel; without it all.
        """
        return self._caller.call("channels.list", device=device, namespace=namespace)


class ConfigOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self) -> dict[str, Any]:
        """Shows the configuration in force, defaults filled in, secrets redacted."""
        return self._caller.call("config.get")

    def reload(self, *, dry_run: bool | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Reads the configuration anew and puts it in force.

        dry_run: Says what would change, and changes nothing.
        """
        return self._caller.call("config.reload", dry_run=dry_run, idempotency_key=idempotency_key)


class CredentialsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def clear(self, *, app: str | None = None, reset: bool | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Launches without credentials from now on, or with those of the file again.

        app: The app; without it every app that has none of its own.
        reset: Whether what the file says holds again; otherwise nothing is sent, whatever the file says.
        """
        return self._caller.call("credentials.clear", app=app, reset=reset, idempotency_key=idempotency_key)

    def list(self) -> dict[str, Any]:
        """Says for which apps launches carry credentials; never which."""
        return self._caller.call("credentials.list")

    def set(self, *, credentials: str, app: str | None = None, credentials_type: str | None = None, apply_to_load: bool | None = None, atv_credentials: str | None = None, atv_credentials_type: str | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Sets the credentials of the next launches and joins.

        credentials: What the app receives as credentials.
        app: The app; without it every app that has none of its own.
        credentials_type: What the app receives as the type of the credentials.
        apply_to_load: Whether a LOAD without credentials gets them too; otherwise they are sent at launch and join only.
        atv_credentials: What an Android TV app receives in a LOAD instead, with `apply_to_load`.
        atv_credentials_type: The type of `atv_credentials`.
        """
        return self._caller.call("credentials.set", credentials=credentials, app=app, credentials_type=credentials_type, apply_to_load=apply_to_load, atv_credentials=atv_credentials, atv_credentials_type=atv_credentials_type, idempotency_key=idempotency_key)


class DeviceOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def attributes(self, *, device: str, set: dict[str, Any] | None = None, remove: list[str] | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Keeps texts with a real device, for all callers to see.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        set: What is kept with the device from now on: names, and a text for each.
        remove: The names of what is kept no more.
        """
        return self._caller.call("device.attributes", device=device, set=set, remove=remove, idempotency_key=idempotency_key)

    def can_display(self, *, device: str, content_type: str, codecs: str | None = None, width: int | None = None, height: int | None = None, frame_rate: float | None = None) -> dict[str, Any]:
        """Says whether a device can show a medium, by its type, codecs, size and frame rate.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        content_type: The type of the medium, with the parameter `codecs` or without.
        codecs: Its codecs, with commas between them (RFC 6381).
        width: Pixels of a line.
        height: Lines.
        frame_rate: Pictures a second.
        """
        return self._caller.call("device.can_display", device=device, content_type=content_type, codecs=codecs, width=width, height=height, frame_rate=frame_rate)

    def find(self, *, id: str, timeout: float | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Waits until a real device is in the list, and shows it.

        id: The device's id in any of its forms, its unique id, its name in the file, or its friendly name.
        timeout: For how many seconds it is waited for.
        """
        return self._caller.call("device.find", id=id, timeout=timeout, wait=wait, idempotency_key=idempotency_key)

    def get(self, *, device: str) -> dict[str, Any]:
        """Shows one device, virtual or real, and what runs on it.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        """
        return self._caller.call("device.get", device=device)

    def probe(self, *, device: str, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Asks a device for its status now, and says whether and how fast it answers.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        """
        return self._caller.call("device.probe", device=device, wait=wait, idempotency_key=idempotency_key)


class DevicesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, sort: Literal["channel", "list"] | None = None) -> dict[str, Any]:
        """Lists all devices, virtual and real, with what runs on them.

        sort: In which order the real devices stand: those with a channel first (`channel`), or as in the device list, by whose places events name them (`list`).
        """
        return self._caller.call("devices.list", sort=sort)


class DiscoveryOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def start(self, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Searches the network for devices from now on."""
        return self._caller.call("discovery.start", idempotency_key=idempotency_key)

    def stop(self, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Searches the network for devices no more."""
        return self._caller.call("discovery.stop", idempotency_key=idempotency_key)


class GatewayOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self) -> dict[str, Any]:
        """Says which gateway this is, how far it is, and how casting stands."""
        return self._caller.call("gateway.get")

    def health(self) -> dict[str, Any]:
        """Says whether senders can use the gateway, and what each part says of that."""
        return self._caller.call("gateway.health")

    def status(self) -> dict[str, Any]:
        """Shows what runs: devices, senders, sessions, plugins, and what is not as it should be."""
        return self._caller.call("gateway.status")


class GroupOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def change(self, *, device: str, add: list[str] | None = None, remove: list[str] | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Adds members to a speaker group among the virtual devices, and removes some, also while it plays.

        device: A virtual device by its name, or by its id.
        add: The names of virtual devices that play with the group from now on.
        remove: The names of members that play with it no more.
        """
        return self._caller.call("group.change", device=device, add=add, remove=remove, idempotency_key=idempotency_key)

    def members(self, *, device: str) -> dict[str, Any]:
        """Lists the members of a speaker group among the virtual devices.

        device: A virtual device by its name, or by its id.
        """
        return self._caller.call("group.members", device=device)


class GuestOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def check_out(self, *, guest: str | None = None, device: str | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Checks out a guest, or all guests of a device, and ends what they do.

        guest: One guest, by its id in `guests.list`.
        device: All guests of a device; codes for it that can be redeemed now are revoked too, and messages kept for its apps are forgotten.
        """
        return self._caller.call("guest.check_out", guest=guest, device=device, idempotency_key=idempotency_key)


class GuestsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the guests who have redeemed a join code, and have not checked out."""
        return self._caller.call("guests.list")


class HandlerOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def disable(self, *, name: str, keep: bool | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Has a handler not asked about messages any more.

        name: The handler's name, the namespace of a channel, or the name of a plugin.
        keep: Whether it holds after a restart of the gateway too.
        """
        return self._caller.call("handler.disable", name=name, keep=keep, idempotency_key=idempotency_key)

    def enable(self, *, name: str, keep: bool | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Has a handler asked about messages.

        name: The handler's name, the namespace of a channel, or the name of a plugin.
        keep: Whether it holds after a restart of the gateway too.
        """
        return self._caller.call("handler.enable", name=name, keep=keep, idempotency_key=idempotency_key)

    def reset(self, *, name: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Has a handler do what the configuration says, and keeps nothing.

        name: The handler's name, the namespace of a channel, or the name of a plugin.
        """
        return self._caller.call("handler.reset", name=name, idempotency_key=idempotency_key)


class HandlersOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the handlers in the order in which they are asked."""
        return self._caller.call("handlers.list")


class JoinCodeOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(self, *, devices: list[str], name: str | None = None, connect: bool | None = None, scopes: list[Literal["read", "control", "messages"]] | None = None, stay: int | None = None, uses: int | None = None, from_: str | None = None, lifetime: int | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Makes a join code: what it gives, a guest gets who redeems it.

        devices: The devices that its guests may use, with `*` for any number of characters.
        name: What its guests are called in logs and lists; need not be unique.
        connect: Whether a guest's address may connect to those of the devices that are virtual, as a sender: where `senders.join` is `required`.
        scopes: What a guest may do by a token for the API, which is made when the code is redeemed; no token without it.
        stay: For how long a guest may do all that unless checked out before, in seconds from when the code is redeemed.
        uses: How many guests may redeem it.
        from_: From when it can be redeemed, at most a year ahead: a day, or a moment in UTC; from now on without it.
        lifetime: For how long it can be redeemed then, in seconds; without it 900, or 86400 beside `from`.
        """
        return self._caller.call("join_code.create", devices=devices, name=name, connect=connect, scopes=scopes, stay=stay, uses=uses, from_=from_, lifetime=lifetime, idempotency_key=idempotency_key)

    def redeem(self, *, code: str, address: str | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Redeems a join code for a guest, as the page of `api.join` does.

        code: Its digits, its link, or what the link ends in.
        address: The guest's IPv4 address, where the code lets it connect; wrong codes are counted to it.
        """
        return self._caller.call("join_code.redeem", code=code, address=address, idempotency_key=idempotency_key)

    def revoke(self, *, id: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Revokes a join code; guests who have redeemed it stay.

        id: Its id, as `join_codes.list` has it.
        """
        return self._caller.call("join_code.revoke", id=id, idempotency_key=idempotency_key)


class JoinCodesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the join codes whose time is not over."""
        return self._caller.call("join_codes.list")


class LaunchOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self) -> dict[str, Any]:
        """Says what launches follow when nothing else is said."""
        return self._caller.call("launch.get")

    def reset(self, *, keys: list[Literal["receiver_app", "language", "relaunch_if_running", "android_receiver_compatible", "sender_name"]] | None = None, category: str | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Has launches follow the file again, and keeps nothing.

        keys: What is as the file says again; an empty list means everything.
        category: Whose devices: `cast` for those that are heard or written down, `plugin:NAME` for those that a plugin names, `virtual` for virtual ones; without it and without `keys` every category is as the file says again too.
        """
        return self._caller.call("launch.reset", keys=keys, category=category, idempotency_key=idempotency_key)

    def set(self, *, receiver_app: str | None = None, language: str | None = None, relaunch_if_running: bool | None = None, android_receiver_compatible: bool | None = None, sender_name: str | None = None, category: str | None = None, keep: bool | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Chooses what launches follow, in the place of what the file says.

        receiver_app: The app that sessions launch when none is named, and that listed devices have to have; in the place of `discovery.receiver_app` and `discovery.receiver_apps`.
        language: The language tag of launches that name none (RFC 5646).
        relaunch_if_running: Whether the gateway's own sessions launch an app anew that runs already.
        android_receiver_compatible: Whether launches that do not say which kinds of app they take may start the Android TV app.
        sender_name: What devices may call the gateway.
        category: Whose devices: `cast` for those that are heard or written down, `plugin:NAME` for those that a plugin names, `virtual` for virtual ones.
        keep: Whether it holds after a restart of the gateway too.
        """
        return self._caller.call("launch.set", receiver_app=receiver_app, language=language, relaunch_if_running=relaunch_if_running, android_receiver_compatible=android_receiver_compatible, sender_name=sender_name, category=category, keep=keep, idempotency_key=idempotency_key)


class LogOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self) -> dict[str, Any]:
        """Shows how much each component logs."""
        return self._caller.call("log.get")

    def set(self, *, levels: dict[str, Any] | list[str], seconds: int | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Has components log more or less for a time.

        levels: Levels for components whose name matches; the first match decides, and the file where none does. A list of names has them at `debug`. `{}` is back to the file.
        seconds: For how long; then the levels of the file are back.
        """
        return self._caller.call("log.set", levels=levels, seconds=seconds, idempotency_key=idempotency_key)


class MediaOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def check(self, *, device: str, app: str | None = None, url: str | None = None, content_id: str | None = None, content_type: str | None = None, stream_type: Literal["buffered", "live", "none"] | None = None, duration: float | None = None, metadata: dict[str, Any] | None = None, tracks: list[dict[str, Any]] | None = None, text_style: dict[str, Any] | None = None, breaks: list[dict[str, Any]] | None = None, break_clips: list[dict[str, Any]] | None = None, vmap: dict[str, Any] | None = None, hls_segment_format: str | None = None, hls_video_segment_format: str | None = None, start_absolute_time: float | None = None, media_custom_data: Any | None = None, media: dict[str, Any] | None = None, catalogue: str | None = None, item: str | None = None, queue: dict[str, Any] | None = None, entity: str | None = None, shuffle: bool | None = None, position: float | None = None, autoplay: bool | Literal["by_item"] | None = None, rate: float | None = None, active_tracks: list[int] | None = None, repeat_mode: Literal["off", "all", "single", "all_and_shuffle"] | None = None, credentials: str | None = None, credentials_type: str | None = None, atv_credentials: str | None = None, atv_credentials_type: str | None = None, load_options: dict[str, Any] | None = None, custom_data: Any | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Says whether the servers of a load give a receiver what it needs: media, text tracks, pictures.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        app: The app that plays it; without it the one that runs, or else the default.
        url: Where the medium is.
        content_id: What the app calls it; without it its address.
        content_type: Its MIME type.
        stream_type: How it is delivered; without it a file is meant.
        duration: Its length, in seconds.
        metadata: What is shown: `metadataType`, `title`, `images` and others of the kind.
        tracks: Its tracks, each with a `trackId` of its own.
        text_style: How text is shown.
        breaks: Its breaks.
        break_clips: The clips of the breaks.
        vmap: Where its breaks are fetched (`vmapAdsRequest`).
        hls_segment_format: Of HLS sound.
        hls_video_segment_format: Of HLS pictures.
        start_absolute_time: When a live programme began, in seconds since 1970.
        media_custom_data: What the app is told of the medium.
        media: Further fields of the medium, as the protocol has them; the keys above win.
        catalogue: The catalogue that has the medium.
        item: Its id there, as `catalogue.get` has it.
        queue: A queue: `items` with `media` each, `startIndex`, `repeatMode` and others.
        entity: A deep link that the app resolves.
        shuffle: Whether what `entity` names is shuffled.
        position: Where it starts, in seconds.
        autoplay: Whether it plays at once; otherwise it is paused. `by_item`: as the first item of the queue says.
        rate: How fast it plays; 1 is normal.
        active_tracks: The ids of the tracks that are on.
        repeat_mode: What follows the end of a queue item.
        credentials: Who loads, for the app; without them those of `launch` that are meant for loads.
        credentials_type: Where they come from.
        atv_credentials: The same for an Android TV app.
        atv_credentials_type: Where those come from.
        load_options: Further options of the load (`loadOptions`).
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.check", device=device, app=app, url=url, content_id=content_id, content_type=content_type, stream_type=stream_type, duration=duration, metadata=metadata, tracks=tracks, text_style=text_style, breaks=breaks, break_clips=break_clips, vmap=vmap, hls_segment_format=hls_segment_format, hls_video_segment_format=hls_video_segment_format, start_absolute_time=start_absolute_time, media_custom_data=media_custom_data, media=media, catalogue=catalogue, item=item, queue=queue, entity=entity, shuffle=shuffle, position=position, autoplay=autoplay, rate=rate, active_tracks=active_tracks, repeat_mode=repeat_mode, credentials=credentials, credentials_type=credentials_type, atv_credentials=atv_credentials, atv_credentials_type=atv_credentials_type, load_options=load_options, custom_data=custom_data, idempotency_key=idempotency_key)

    def load(self, *, device: str, app: str | None = None, url: str | None = None, content_id: str | None = None, content_type: str | None = None, stream_type: Literal["buffered", "live", "none"] | None = None, duration: float | None = None, metadata: dict[str, Any] | None = None, tracks: list[dict[str, Any]] | None = None, text_style: dict[str, Any] | None = None, breaks: list[dict[str, Any]] | None = None, break_clips: list[dict[str, Any]] | None = None, vmap: dict[str, Any] | None = None, hls_segment_format: str | None = None, hls_video_segment_format: str | None = None, start_absolute_time: float | None = None, media_custom_data: Any | None = None, media: dict[str, Any] | None = None, catalogue: str | None = None, item: str | None = None, queue: dict[str, Any] | None = None, entity: str | None = None, shuffle: bool | None = None, position: float | None = None, autoplay: bool | Literal["by_item"] | None = None, rate: float | None = None, active_tracks: list[int] | None = None, repeat_mode: Literal["off", "all", "single", "all_and_shuffle"] | None = None, credentials: str | None = None, credentials_type: str | None = None, atv_credentials: str | None = None, atv_credentials_type: str | None = None, load_options: dict[str, Any] | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Plays something: a medium by its address or id, a queue, or what a deep link names.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        app: The app that plays it; without it the one that runs, or else the default.
        url: Where the medium is.
        content_id: What the app calls it; without it its address.
        content_type: Its MIME type.
        stream_type: How it is delivered; without it a file is meant.
        duration: Its length, in seconds.
        metadata: What is shown: `metadataType`, `title`, `images` and others of the kind.
        tracks: Its tracks, each with a `trackId` of its own.
        text_style: How text is shown.
        breaks: Its breaks.
        break_clips: The clips of the breaks.
        vmap: Where its breaks are fetched (`vmapAdsRequest`).
        hls_segment_format: Of HLS sound.
        hls_video_segment_format: Of HLS pictures.
        start_absolute_time: When a live programme began, in seconds since 1970.
        media_custom_data: What the app is told of the medium.
        media: Further fields of the medium, as the protocol has them; the keys above win.
        catalogue: The catalogue that has the medium.
        item: Its id there, as `catalogue.get` has it.
        queue: A queue: `items` with `media` each, `startIndex`, `repeatMode` and others.
        entity: A deep link that the app resolves.
        shuffle: Whether what `entity` names is shuffled.
        position: Where it starts, in seconds.
        autoplay: Whether it plays at once; otherwise it is paused. `by_item`: as the first item of the queue says.
        rate: How fast it plays; 1 is normal.
        active_tracks: The ids of the tracks that are on.
        repeat_mode: What follows the end of a queue item.
        credentials: Who loads, for the app; without them those of `launch` that are meant for loads.
        credentials_type: Where they come from.
        atv_credentials: The same for an Android TV app.
        atv_credentials_type: Where those come from.
        load_options: Further options of the load (`loadOptions`).
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.load", device=device, app=app, url=url, content_id=content_id, content_type=content_type, stream_type=stream_type, duration=duration, metadata=metadata, tracks=tracks, text_style=text_style, breaks=breaks, break_clips=break_clips, vmap=vmap, hls_segment_format=hls_segment_format, hls_video_segment_format=hls_video_segment_format, start_absolute_time=start_absolute_time, media_custom_data=media_custom_data, media=media, catalogue=catalogue, item=item, queue=queue, entity=entity, shuffle=shuffle, position=position, autoplay=autoplay, rate=rate, active_tracks=active_tracks, repeat_mode=repeat_mode, credentials=credentials, credentials_type=credentials_type, atv_credentials=atv_credentials, atv_credentials_type=atv_credentials_type, load_options=load_options, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def pause(self, *, device: str, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Pauses.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.pause", device=device, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def picture(self, *, device: str, use: Literal["custom", "cast_dialog", "mini_controller", "background", "expanded"] | None = None, width: int | None = None, height: int | None = None) -> dict[str, Any]:
        """Chooses the picture of what plays that fits a place.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        use: Where it is shown; `background` and `expanded` have the largest, or the second where no sizes are told, all others the first.
        width: How wide the place is, in pixels; then it is the smallest picture that covers it, else the largest.
        height: How high the place is, in pixels.
        """
        return self._caller.call("media.picture", device=device, use=use, width=width, height=height)

    def play(self, *, device: str, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Goes on playing.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.play", device=device, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def rate(self, *, device: str, rate: float | None = None, factor: float | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Plays faster or slower.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        rate: How fast to play; 1 is normal, and receivers take 0.5 to 2 unless the app says otherwise.
        factor: By how much to multiply the rate.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.rate", device=device, rate=rate, factor=factor, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def request(self, *, device: str, type: str, body: dict[str, Any] | None = None, about_media: bool | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Asks the app that plays media for something that no other operation asks for.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        type: The type of the message, as the protocol has it.
        body: Its other fields; the gateway adds `requestId` and `mediaSessionId`.
        about_media: Whether it is about what is loaded, so that it fails where nothing is.
        """
        return self._caller.call("media.request", device=device, type=type, body=body, about_media=about_media, wait=wait, idempotency_key=idempotency_key)

    def seek(self, *, device: str, position: float | None = None, by: float | None = None, to_end: bool | None = None, resume: Literal["unchanged", "play", "pause"] | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Goes to another position.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        position: Where to, in seconds from the start.
        by: How far, in seconds; back below zero.
        to_end: Whether to go to the live edge, or to the end of what has one.
        resume: What the player does then.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.seek", device=device, position=position, by=by, to_end=to_end, resume=resume, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def skip_ad(self, *, device: str, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Skips the clip of the break that plays.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.skip_ad", device=device, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def status(self, *, device: str, whole: bool | None = None) -> dict[str, Any]:
        """Shows what plays on a device, as far as it is known without asking.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        whole: Whether the whole status is wanted, as the app told it.
        """
        return self._caller.call("media.status", device=device, whole=whole)

    def stop(self, *, device: str, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Ends what plays; the app stays.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.stop", device=device, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def stream_volume(self, *, device: str, level: float | None = None, muted: bool | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Sets the volume of what plays, which is not the device's.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        level: How loud, from 0 to 1.
        muted: Whether the sound is off.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.stream_volume", device=device, level=level, muted=muted, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def text_style(self, *, device: str, style: dict[str, Any], custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Changes how text is shown.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        style: What is changed; the rest stays as the receiver has it.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.text_style", device=device, style=style, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def tracks(self, *, device: str, active: list[int] | None = None, text_language: str | None = None, audio_language: str | None = None, text: bool | None = None, suggestion: bool | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Chooses the tracks that are on.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        active: The ids of the tracks that are on, all others off; empty for none.
        text_language: The language of the text (RFC 5646).
        audio_language: The language of the sound (RFC 5646).
        text: Whether text is shown, in whichever track the app chooses.
        suggestion: Whether the app may take another language.
        custom_data: What the app is told besides.
        """
        return self._caller.call("media.tracks", device=device, active=active, text_language=text_language, audio_language=audio_language, text=text, suggestion=suggestion, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)


class MessageOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def broadcast(self, *, device: str, namespace: str, session_id: str | None = None, text: str | None = None, json: Any | None = None, bytes: str | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Sends a message to all senders of an app on a virtual device, as the app would.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        namespace: Where it is sent.
        session_id: The device's id of the session that is meant; without it the app that runs.
        text: The message as text, at most 64512 bytes.
        json: The message as JSON, which is sent as text; as long.
        bytes: The message as bytes, in base64, as many when decoded; most apps take none.
        """
        return self._caller.call("message.broadcast", device=device, namespace=namespace, session_id=session_id, text=text, json=json, bytes=bytes, wait=wait, idempotency_key=idempotency_key)

    def send(self, *, device: str, namespace: str, session_id: str | None = None, text: str | None = None, json: Any | None = None, bytes: str | None = None, answer_within: float | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Sends a message of the caller's own to the app that runs.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        namespace: Where it is sent.
        session_id: The device's id of the session that is meant; without it the app that runs.
        text: The message as text, at most 64512 bytes.
        json: The message as JSON, which is sent as text; as long.
        bytes: The message as bytes, in base64, as many when decoded; most apps take none.
        answer_within: How many seconds the answer is waited for: the app's message with the `requestId` that a JSON object is given for it. 0 waits for none.
        """
        return self._caller.call("message.send", device=device, namespace=namespace, session_id=session_id, text=text, json=json, bytes=bytes, answer_within=answer_within, wait=wait, idempotency_key=idempotency_key)

    def send_to_sender(self, *, device: str, sender: str, namespace: str, session_id: str | None = None, text: str | None = None, json: Any | None = None, bytes: str | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Sends a message to one sender of an app on a virtual device, as the app would.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        sender: The sender, by its `id` in `senders.list`.
        namespace: Where it is sent.
        session_id: The device's id of the session that is meant; without it the app that runs.
        text: The message as text, at most 64512 bytes.
        json: The message as JSON, which is sent as text; as long.
        bytes: The message as bytes, in base64, as many when decoded; most apps take none.
        """
        return self._caller.call("message.send_to_sender", device=device, sender=sender, namespace=namespace, session_id=session_id, text=text, json=json, bytes=bytes, wait=wait, idempotency_key=idempotency_key)


class OutboxOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, destination: str | None = None, device: str | None = None, state: Literal["waiting", "parked", "dead"] | None = None, after: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """Lists messages that have not arrived at their bridge yet, or were given up.

        destination: Those for this bridge.
        device: Those about this device.
        state: Those that wait for their turn (`waiting`), are tried again beside the others (`parked`), or were given up (`dead`).
        after: Those behind this one, by its id.
        limit: How many.
        """
        return self._caller.call("outbox.list", destination=destination, device=device, state=state, after=after, limit=limit)

    def purge(self, *, id: str | None = None, destination: str | None = None, device: str | None = None, state: Literal["waiting", "parked", "dead"] | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Takes messages out of the outbox for good.

        id: One message.
        destination: Those for this bridge.
        device: Of those, the ones about this device.
        state: Only those in this state; `dead` for dead letters.
        """
        return self._caller.call("outbox.purge", id=id, destination=destination, device=device, state=state, idempotency_key=idempotency_key)

    def replay(self, *, id: str | None = None, destination: str | None = None, device: str | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Has dead letters tried again, with all attempts that there are.

        id: One message.
        destination: Those for this bridge.
        device: Of those, the ones about this device.
        """
        return self._caller.call("outbox.replay", id=id, destination=destination, device=device, idempotency_key=idempotency_key)

    def show(self, *, id: str) -> dict[str, Any]:
        """Shows a message of the outbox with what is delivered.

        id: The message.
        """
        return self._caller.call("outbox.show", id=id)


class PicturesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def clear(self, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Forgets the pictures that the gateway keeps."""
        return self._caller.call("pictures.clear", idempotency_key=idempotency_key)


class PluginOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def disable(self, *, plugin: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Ends a plugin until it is enabled, or the gateway starts again.

        plugin: The plugin's name in `plugins.instances`.
        """
        return self._caller.call("plugin.disable", plugin=plugin, idempotency_key=idempotency_key)

    def enable(self, *, plugin: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Runs a plugin that was disabled.

        plugin: The plugin's name in `plugins.instances`.
        """
        return self._caller.call("plugin.enable", plugin=plugin, idempotency_key=idempotency_key)

    def get(self, *, plugin: str) -> dict[str, Any]:
        """Shows all that is known of one plugin.

        plugin: The plugin's name in `plugins.instances`.
        """
        return self._caller.call("plugin.get", plugin=plugin)

    def restart(self, *, plugin: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Ends a plugin and starts it again.

        plugin: The plugin's name in `plugins.instances`.
        """
        return self._caller.call("plugin.restart", plugin=plugin, idempotency_key=idempotency_key)


class PluginsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the plugins, and how they are."""
        return self._caller.call("plugins.list")


class QueueOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def insert(self, *, device: str, items: list[dict[str, Any]], before: int | None = None, playing: int | None = None, position: float | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Adds items to the queue.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        items: The items: each with `media`, or `catalogue` and `item`, and `autoplay`, `startTime`, `preloadTime` if wanted.
        before: The item that they go before; without it they go to the end.
        playing: Which of them is played at once, from 0; without it what plays goes on.
        position: Where that one starts, in seconds.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.insert", device=device, items=items, before=before, playing=playing, position=position, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def jump(self, *, device: str, item: int | None = None, by: int | None = None, position: float | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Plays another item of the queue.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        item: The id of the item.
        by: How many items forward, or back below zero.
        position: Where it starts, in seconds; with `item` only.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.jump", device=device, item=item, by=by, position=position, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def list(self, *, device: str, offset: int | None = None, limit: int | None = None, reload: bool | None = None) -> dict[str, Any]:
        """Lists the items of the queue, a page at a time.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        offset: How many items are left out at the beginning.
        limit: How many items are wanted.
        reload: Whether the app is asked for all of it anew, also for what is known of a queue that the gateway follows.
        """
        return self._caller.call("queue.list", device=device, offset=offset, limit=limit, reload=reload)

    def move(self, *, device: str, items: list[int], before: int | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Moves items of the queue.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        items: The ids of the items, in their new order.
        before: The item that they go before; without it they go to the end.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.move", device=device, items=items, before=before, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def next(self, *, device: str, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Plays the next item of the queue.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.next", device=device, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def previous(self, *, device: str, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Plays the item of the queue before this one.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.previous", device=device, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def remove(self, *, device: str, items: list[int], playing: int | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Removes items from the queue.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        items: The ids of the items.
        playing: The item to go to when the one that plays is removed; else the next one.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.remove", device=device, items=items, playing=playing, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def repeat(self, *, device: str, mode: Literal["off", "all", "single", "all_and_shuffle"], custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Sets what follows the end of a queue item.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        mode: What follows the end of an item.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.repeat", device=device, mode=mode, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def shuffle(self, *, device: str, shuffled: bool | None = None, custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Shuffles the queue, or puts it back in order.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        shuffled: Whether the items are shuffled, or put back in order.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.shuffle", device=device, shuffled=shuffled, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)

    def update(self, *, device: str, items: list[dict[str, Any]], custom_data: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Changes items of the queue.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        items: What is changed of each item, with its `itemId`.
        custom_data: What the app is told besides.
        """
        return self._caller.call("queue.update", device=device, items=items, custom_data=custom_data, wait=wait, idempotency_key=idempotency_key)


class RequestOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def cancel(self, *, request: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Takes a command back.

        request: The id of the request.
        """
        return self._caller.call("request.cancel", request=request, idempotency_key=idempotency_key)

    def get(self, *, request: str) -> dict[str, Any]:
        """Tells how a command stands.

        request: The id of the request.
        """
        return self._caller.call("request.get", request=request)


class RequestsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the commands that go on."""
        return self._caller.call("requests.list")


class RouteOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def explain(self, *, device: str, namespace: str, type: str | None = None, direction: Literal["to_receiver", "to_sender"] | None = None) -> dict[str, Any]:
        """Says who is asked about a message of a virtual device, in order.

        device: A virtual device by its name, or by its id.
        namespace: The message's namespace.
        type: The message's type; without it every type is explained.
        direction: Which way the message travels.
        """
        return self._caller.call("route.explain", device=device, namespace=namespace, type=type, direction=direction)


class SendersOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists who is connected to which virtual device."""
        return self._caller.call("senders.list")


class SessionOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def announce(self, *, session: int | str, url: str, content_type: str | None = None, level: float | None = None, timeout: float | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Plays something in between, then goes on with what played, where and as loud as it was.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        url: Where the announcement is.
        content_type: Its MIME type.
        level: How loud, from 0 to 1; without it as loud as it is.
        timeout: How many seconds it may last.
        """
        return self._caller.call("session.announce", session=session, url=url, content_type=content_type, level=level, timeout=timeout, wait=wait, idempotency_key=idempotency_key)

    def end(self, *, session: int | str, action: Literal["leave", "disconnect", "stop"] | None = None, stop: bool | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Ends a session.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        action: What becomes of the app: `leave` and `disconnect` leave it to others, `disconnect` also hangs up when nothing else uses the gateway's channel to the device, `stop` stops it; without it as `sessions.stop_app_on_end` says, on a virtual device `stop`.
        stop: The same in the form of yes (`stop`) or no (`leave`), for callers that know no more; read where `action` is missing.
        """
        return self._caller.call("session.end", session=session, action=action, stop=stop, wait=wait, idempotency_key=idempotency_key)

    def get(self, *, session: int | str) -> dict[str, Any]:
        """Shows a session.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        """
        return self._caller.call("session.get", session=session)

    def hand_over(self, *, session: int | str, timeout: float | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Gives a caller what plays in a session, to go on with it outside of Cast.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        timeout: For how many seconds the caller may say with `session.handed_over` what came of it.
        """
        return self._caller.call("session.hand_over", session=session, timeout=timeout, wait=wait, idempotency_key=idempotency_key)

    def handed_over(self, *, session: int | str, taken: bool | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Says what came of `session.hand_over`: the caller plays, or the device goes on.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        taken: Whether the caller plays now, so that the device is stopped; otherwise the device goes on, and loads again what it played when it does not play that any more.
        """
        return self._caller.call("session.handed_over", session=session, taken=taken, wait=wait, idempotency_key=idempotency_key)

    def join(self, *, link: str, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Joins the session that a link names.

        link: The link: `link` of `session.get`, or any other with the parameters `device` (a name or an id), or else `name`, and `session` (the device's id of it) behind `?`.
        """
        return self._caller.call("session.join", link=link, wait=wait, idempotency_key=idempotency_key)

    def restore(self, *, session: int | str, state: dict[str, Any], level: float | None = None, muted: bool | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Plays again what was written down, from where it was.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        state: `state` of `session.snapshot`.
        level: How loud the device is made, from 0 to 1.
        muted: Whether its sound is turned off.
        """
        return self._caller.call("session.restore", session=session, state=state, level=level, muted=muted, wait=wait, idempotency_key=idempotency_key)

    def resume(self, *, session: int | str, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Goes on with a session that is suspended.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        """
        return self._caller.call("session.resume", session=session, wait=wait, idempotency_key=idempotency_key)

    def snapshot(self, *, session: int | str) -> dict[str, Any]:
        """Writes down what plays in a session, so that it can be played again.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        """
        return self._caller.call("session.snapshot", session=session)

    def start(self, *, device: str, app: str | None = None, session_id: str | None = None, join: bool | None = None, language: str | None = None, relaunch: bool | None = None, android_receiver: bool | None = None, credentials: str | None = None, credentials_type: str | None = None, params: dict[str, Any] | None = None, required_features: list[str] | None = None, sender_name: str | None = None, unless_active: bool | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Starts a session with an app on a device.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        app: The app; without it that of `launch.set`, or else the first of `discovery.receiver_apps`, or `discovery.receiver_app`.
        session_id: The session that is joined instead, by the device's id of it; nothing is launched then.
        join: Whether the app is only joined where it runs: nothing is launched, and another app that runs there is left alone.
        language: The user's language; without it `launch.language`.
        relaunch: Whether an app that runs is launched anew; without it `launch.relaunch_if_running`.
        android_receiver: Whether the Android TV app may be started; without it `launch.android_receiver_compatible`.
        credentials: Who launches, for the app; without them those of `launch`.
        credentials_type: Where they come from.
        params: What the app is given when it is launched: members of `appParams`.
        required_features: What the app must be able to do when it is launched, as `STREAM_TRANSFER`.
        sender_name: What the device may call the sender; without it `launch.sender_name`.
        unless_active: Whether the start is refused (`invalid_state`) when the device has a session already, whatever it is: one of the gateway's own, or an app on a virtual device.
        """
        return self._caller.call("session.start", device=device, app=app, session_id=session_id, join=join, language=language, relaunch=relaunch, android_receiver=android_receiver, credentials=credentials, credentials_type=credentials_type, params=params, required_features=required_features, sender_name=sender_name, unless_active=unless_active, wait=wait, idempotency_key=idempotency_key)

    def suspend(self, *, session: int | str, reason: Literal["app_backgrounded", "network_error", "network_not_reachable", "unknown"] | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Leaves the app of a session for a while; it goes on.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        reason: Why, as events tell it. With any but `app_backgrounded` the session is taken up again by itself when the device is reached anew.
        """
        return self._caller.call("session.suspend", session=session, reason=reason, wait=wait, idempotency_key=idempotency_key)

    def transfer(self, *, session: int | str, to: str, timeout: float | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Moves what a session plays to another device.

        session: The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or `device:NAME` for the session that there is on a device.
        to: The other device, a real one.
        timeout: How many seconds it may take until the other device plays.
        """
        return self._caller.call("session.transfer", session=session, to=to, timeout=timeout, wait=wait, idempotency_key=idempotency_key)


class SessionsOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the gateway's own sessions with apps on real devices."""
        return self._caller.call("sessions.list")


class TokenOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(self, *, name: str, scopes: list[Literal["read", "control", "messages", "credentials", "admin"]] | None = None, devices: list[str] | None = None, lifetime: int | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Makes a token for the API.

        name: What its holder is called in logs and lists; need not be unique.
        scopes: What its holder may do.
        devices: The devices that its holder may see and use, with `*` for any number of characters; all without it.
        lifetime: For how long it is taken, in seconds; for ever without it.
        """
        return self._caller.call("token.create", name=name, scopes=scopes, devices=devices, lifetime=lifetime, idempotency_key=idempotency_key)

    def revoke(self, *, id: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Revokes a token for the API, and ends the connections of its holder.

        id: Its id, or its name when no other has it.
        """
        return self._caller.call("token.revoke", id=id, idempotency_key=idempotency_key)


class TokensOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the tokens for the API."""
        return self._caller.call("tokens.list")


class VirtualDeviceOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def disconnect(self, *, device: str, sender: str | None = None, address: str | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Disconnects one sender, or all senders of an address, from a virtual device.

        device: A virtual device by its name, or by its id.
        sender: One sender, by its `id` in `senders.list`.
        address: All senders of an address.
        """
        return self._caller.call("virtual_device.disconnect", device=device, sender=sender, address=address, idempotency_key=idempotency_key)

    def forget(self, *, device: str, idempotency_key: str | None = None) -> dict[str, Any]:
        """Forgets a discovered device: its virtual device ends, and its place is free.

        device: The virtual device's name, or the id of the device behind it.
        """
        return self._caller.call("virtual_device.forget", device=device, idempotency_key=idempotency_key)

    def get(self, *, device: str) -> dict[str, Any]:
        """Shows one virtual device, with its senders and what runs on it.

        device: A virtual device by its name, or by its id.
        """
        return self._caller.call("virtual_device.get", device=device)

    def launch(self, *, device: str, app: str, language: str | None = None, params: Any | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Launches an app on a virtual device, as a sender does.

        device: A virtual device by its name, or by its id.
        app: The app.
        language: The language tag (RFC 5646).
        params: Parameters for the app, any JSON: `appParams` of the LAUNCH.
        """
        return self._caller.call("virtual_device.launch", device=device, app=app, language=language, params=params, wait=wait, idempotency_key=idempotency_key)

    def simulate(self, *, device: str, key: Literal["play", "pause", "play_pause", "stop", "next", "previous", "rewind", "fast_forward", "volume_up", "volume_down", "mute", "home"] | None = None, standby: bool | None = None, active_input: bool | None = None, max_resolution: dict[str, Any] | None = None, feedback: bool | None = None, status_text: str | None = None, fatal_error: bool | None = None, end_of_item: bool | None = None, error: dict[str, Any] | None = None, buffering: str | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Lets something happen at a virtual device itself, as a viewer, the screen or the network would.

        device: A virtual device by its name, or by its id.
        key: A key of its remote control is pressed; `home` leaves the app.
        standby: Its screen goes to standby, which ends the app, or comes back; a launch switches it on.
        active_input: Its screen shows this device, or another input.
        max_resolution: Its screen shows so many pixels at most from now on.
        feedback: A viewer begins to write feedback.
        status_text: The app says this of itself until it changes its text; empty for its own.
        fatal_error: The app fails in a way that it cannot go on after, and ends.
        end_of_item: What plays has come to its end.
        error: What plays or loads fails.
        buffering: What plays stops for want of data, for so long.
        """
        return self._caller.call("virtual_device.simulate", device=device, key=key, standby=standby, active_input=active_input, max_resolution=max_resolution, feedback=feedback, status_text=status_text, fatal_error=fatal_error, end_of_item=end_of_item, error=error, buffering=buffering, idempotency_key=idempotency_key)

    def stop(self, *, device: str, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Stops the app that runs on a virtual device, as a sender does.

        device: A virtual device by its name, or by its id.
        """
        return self._caller.call("virtual_device.stop", device=device, wait=wait, idempotency_key=idempotency_key)


class VirtualDevicesOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> dict[str, Any]:
        """Lists the virtual devices, and where each comes from."""
        return self._caller.call("virtual_devices.list")


class VolumeOperations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, *, device: str, members: bool | None = None) -> dict[str, Any]:
        """Shows how loud a device is.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        members: Whether the members of a speaker group are wanted too.
        """
        return self._caller.call("volume.get", device=device, members=members)

    def set(self, *, device: str, level: float | None = None, by: float | None = None, steps: int | None = None, muted: bool | Literal["toggle"] | None = None, member: str | None = None, wait: float | None = None, idempotency_key: str | None = None) -> dict[str, Any]:
        """Makes a device louder or quieter, or mutes it.

        device: A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. `real:NAME` or `virtual:NAME` where both exist.
        level: How loud, from 0 to 1.
        by: How much louder, or quieter below zero, than the device said last that it is.
        steps: By how many of the device's own steps it becomes louder, or quieter below zero.
        muted: Whether the sound is off; `toggle` switches it on where it is off, and off where it is on.
        member: The member of a speaker group that is meant, by its id; without it the group as a whole.
        """
        return self._caller.call("volume.set", device=device, level=level, by=by, steps=steps, muted=muted, member=member, wait=wait, idempotency_key=idempotency_key)


class Operations:
    """Every operation, by family."""

    def __init__(self, caller: Caller) -> None:
        self.bridge = BridgeOperations(caller)
        self.bridges = BridgesOperations(caller)
        self.catalogue = CatalogueOperations(caller)
        self.channel = ChannelOperations(caller)
        self.channels = ChannelsOperations(caller)
        self.config = ConfigOperations(caller)
        self.credentials = CredentialsOperations(caller)
        self.device = DeviceOperations(caller)
        self.devices = DevicesOperations(caller)
        self.discovery = DiscoveryOperations(caller)
        self.gateway = GatewayOperations(caller)
        self.group = GroupOperations(caller)
        self.guest = GuestOperations(caller)
        self.guests = GuestsOperations(caller)
        self.handler = HandlerOperations(caller)
        self.handlers = HandlersOperations(caller)
        self.join_code = JoinCodeOperations(caller)
        self.join_codes = JoinCodesOperations(caller)
        self.launch = LaunchOperations(caller)
        self.log = LogOperations(caller)
        self.media = MediaOperations(caller)
        self.message = MessageOperations(caller)
        self.outbox = OutboxOperations(caller)
        self.pictures = PicturesOperations(caller)
        self.plugin = PluginOperations(caller)
        self.plugins = PluginsOperations(caller)
        self.queue = QueueOperations(caller)
        self.request = RequestOperations(caller)
        self.requests = RequestsOperations(caller)
        self.route = RouteOperations(caller)
        self.senders = SendersOperations(caller)
        self.session = SessionOperations(caller)
        self.sessions = SessionsOperations(caller)
        self.token = TokenOperations(caller)
        self.tokens = TokensOperations(caller)
        self.virtual_device = VirtualDeviceOperations(caller)
        self.virtual_devices = VirtualDevicesOperations(caller)
        self.volume = VolumeOperations(caller)


OPERATIONS = {
    "bridge.resume": ("POST", "/api/v1/bridges/{bridge}/resume"),
    "bridges.list": ("GET", "/api/v1/bridges"),
    "catalogue.get": ("GET", "/api/v1/catalogues/{catalogue}"),
    "catalogue.list": ("GET", "/api/v1/catalogues"),
    "catalogue.refresh": ("POST", "/api/v1/catalogues/{catalogue}/refresh"),
    "channel.close": ("DELETE", "/api/v1/devices/{device}/channels"),
    "channel.open": ("POST", "/api/v1/devices/{device}/channels"),
    "channel.test": ("POST", "/api/v1/channels/test"),
    "channels.list": ("GET", "/api/v1/channels"),
    "config.get": ("GET", "/api/v1/config"),
    "config.reload": ("POST", "/api/v1/config/reload"),
    "credentials.clear": ("POST", "/api/v1/credentials/clear"),
    "credentials.list": ("GET", "/api/v1/credentials"),
    "credentials.set": ("PUT", "/api/v1/credentials"),
    "device.attributes": ("PUT", "/api/v1/devices/{device}/attributes"),
    "device.can_display": ("GET", "/api/v1/devices/{device}/can-display"),
    "device.find": ("POST", "/api/v1/device-search"),
    "device.get": ("GET", "/api/v1/devices/{device}"),
    "device.probe": ("POST", "/api/v1/devices/{device}/probe"),
    "devices.list": ("GET", "/api/v1/devices"),
    "discovery.start": ("POST", "/api/v1/discovery/start"),
    "discovery.stop": ("POST", "/api/v1/discovery/stop"),
    "gateway.get": ("GET", "/api/v1/gateway"),
    "gateway.health": ("GET", "/api/v1/health"),
    "gateway.status": ("GET", "/api/v1/status"),
    "group.change": ("PATCH", "/api/v1/virtual-devices/{device}/members"),
    "group.members": ("GET", "/api/v1/virtual-devices/{device}/members"),
    "guest.check_out": ("POST", "/api/v1/guests/check-out"),
    "guests.list": ("GET", "/api/v1/guests"),
    "handler.disable": ("POST", "/api/v1/handlers/disable"),
    "handler.enable": ("POST", "/api/v1/handlers/enable"),
    "handler.reset": ("POST", "/api/v1/handlers/reset"),
    "handlers.list": ("GET", "/api/v1/handlers"),
    "join_code.create": ("POST", "/api/v1/join-codes"),
    "join_code.redeem": ("POST", "/api/v1/guests"),
    "join_code.revoke": ("DELETE", "/api/v1/join-codes/{id}"),
    "join_codes.list": ("GET", "/api/v1/join-codes"),
    "launch.get": ("GET", "/api/v1/launch"),
    "launch.reset": ("POST", "/api/v1/launch/reset"),
    "launch.set": ("PUT", "/api/v1/launch"),
    "log.get": ("GET", "/api/v1/log"),
    "log.set": ("PUT", "/api/v1/log"),
    "media.check": ("POST", "/api/v1/devices/{device}/media/check"),
    "media.load": ("POST", "/api/v1/devices/{device}/media/load"),
    "media.pause": ("POST", "/api/v1/devices/{device}/media/pause"),
    "media.picture": ("GET", "/api/v1/devices/{device}/media/picture"),
    "media.play": ("POST", "/api/v1/devices/{device}/media/play"),
    "media.rate": ("POST", "/api/v1/devices/{device}/media/rate"),
    "media.request": ("POST", "/api/v1/devices/{device}/media/request"),
    "media.seek": ("POST", "/api/v1/devices/{device}/media/seek"),
    "media.skip_ad": ("POST", "/api/v1/devices/{device}/media/skip-ad"),
    "media.status": ("GET", "/api/v1/devices/{device}/media"),
    "media.stop": ("POST", "/api/v1/devices/{device}/media/stop"),
    "media.stream_volume": ("PUT", "/api/v1/devices/{device}/media/volume"),
    "media.text_style": ("PUT", "/api/v1/devices/{device}/media/text-style"),
    "media.tracks": ("PUT", "/api/v1/devices/{device}/media/tracks"),
    "message.broadcast": ("POST", "/api/v1/devices/{device}/broadcasts"),
    "message.send": ("POST", "/api/v1/devices/{device}/messages"),
    "message.send_to_sender": ("POST", "/api/v1/devices/{device}/senders/{sender}/messages"),
    "outbox.list": ("GET", "/api/v1/outbox"),
    "outbox.purge": ("POST", "/api/v1/outbox/purge"),
    "outbox.replay": ("POST", "/api/v1/outbox/replay"),
    "outbox.show": ("GET", "/api/v1/outbox/messages/{id}"),
    "pictures.clear": ("POST", "/api/v1/pictures/clear"),
    "plugin.disable": ("POST", "/api/v1/plugins/{plugin}/disable"),
    "plugin.enable": ("POST", "/api/v1/plugins/{plugin}/enable"),
    "plugin.get": ("GET", "/api/v1/plugins/{plugin}"),
    "plugin.restart": ("POST", "/api/v1/plugins/{plugin}/restart"),
    "plugins.list": ("GET", "/api/v1/plugins"),
    "queue.insert": ("POST", "/api/v1/devices/{device}/queue/items"),
    "queue.jump": ("POST", "/api/v1/devices/{device}/queue/jump"),
    "queue.list": ("GET", "/api/v1/devices/{device}/queue"),
    "queue.move": ("POST", "/api/v1/devices/{device}/queue/move"),
    "queue.next": ("POST", "/api/v1/devices/{device}/queue/next"),
    "queue.previous": ("POST", "/api/v1/devices/{device}/queue/previous"),
    "queue.remove": ("DELETE", "/api/v1/devices/{device}/queue/items"),
    "queue.repeat": ("PUT", "/api/v1/devices/{device}/queue/repeat"),
    "queue.shuffle": ("PUT", "/api/v1/devices/{device}/queue/shuffle"),
    "queue.update": ("PATCH", "/api/v1/devices/{device}/queue/items"),
    "request.cancel": ("DELETE", "/api/v1/requests/{request}"),
    "request.get": ("GET", "/api/v1/requests/{request}"),
    "requests.list": ("GET", "/api/v1/requests"),
    "route.explain": ("GET", "/api/v1/virtual-devices/{device}/route"),
    "senders.list": ("GET", "/api/v1/senders"),
    "session.announce": ("POST", "/api/v1/sessions/{session}/announce"),
    "session.end": ("DELETE", "/api/v1/sessions/{session}"),
    "session.get": ("GET", "/api/v1/sessions/{session}"),
    "session.hand_over": ("POST", "/api/v1/sessions/{session}/hand-over"),
    "session.handed_over": ("POST", "/api/v1/sessions/{session}/handed-over"),
    "session.join": ("POST", "/api/v1/sessions/join"),
    "session.restore": ("POST", "/api/v1/sessions/{session}/restore"),
    "session.resume": ("POST", "/api/v1/sessions/{session}/resume"),
    "session.snapshot": ("GET", "/api/v1/sessions/{session}/snapshot"),
    "session.start": ("POST", "/api/v1/sessions"),
    "session.suspend": ("POST", "/api/v1/sessions/{session}/suspend"),
    "session.transfer": ("POST", "/api/v1/sessions/{session}/transfer"),
    "sessions.list": ("GET", "/api/v1/sessions"),
    "token.create": ("POST", "/api/v1/tokens"),
    "token.revoke": ("DELETE", "/api/v1/tokens/{id}"),
    "tokens.list": ("GET", "/api/v1/tokens"),
    "virtual_device.disconnect": ("POST", "/api/v1/virtual-devices/{device}/disconnect"),
    "virtual_device.forget": ("DELETE", "/api/v1/virtual-devices/{device}"),
    "virtual_device.get": ("GET", "/api/v1/virtual-devices/{device}"),
    "virtual_device.launch": ("POST", "/api/v1/virtual-devices/{device}/launch"),
    "virtual_device.simulate": ("POST", "/api/v1/virtual-devices/{device}/simulate"),
    "virtual_device.stop": ("POST", "/api/v1/virtual-devices/{device}/stop"),
    "virtual_devices.list": ("GET", "/api/v1/virtual-devices"),
    "volume.get": ("GET", "/api/v1/devices/{device}/volume"),
    "volume.set": ("PUT", "/api/v1/devices/{device}/volume"),
}

# Keys that are JSON in a query too, whatever their value is.
JSON_KEYS: dict[str, frozenset[str]] = {
    "queue.remove": frozenset(["custom_data"]),
}
