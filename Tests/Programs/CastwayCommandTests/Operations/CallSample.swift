import GatewayOperations

/// One call, and what comes of it on every way in: nil for success, else the code of the problem.
struct CallSample: Sendable {
    let name: OperationName
    var input: [String] = []
    var problem: String?
}

/// What is done with devices, in an order in which the built-in receiver of the lobby can do it.
extension CallSample {
    static let devices = [
        CallSample(name: "session.start", input: ["device=attic", "app=CC1AD845"], problem: "unknown_device"),
        CallSample(name: "session.start", input: ["device=attic", "ap=CC1AD845"], problem: "invalid_input"),
        CallSample(name: "session.start", input: ["device=lobby", "app=CC1AD845"]),
        CallSample(
            name: "session.join", input: ["link=castway:session?device=lobby&session=none"],
            problem: "join_session_mismatch"),
        CallSample(name: "session.get", input: ["session=77"], problem: "unknown_session"),
        CallSample(name: "session.end", input: ["session=77", "stop=true"], problem: "unknown_session"),
        CallSample(name: "session.suspend", input: ["session=77"], problem: "unknown_session"),
        CallSample(name: "session.resume", input: ["session=77"], problem: "unknown_session"),
        CallSample(name: "session.transfer", input: ["session=77", "to=lobby"], problem: "unknown_session"),
        CallSample(name: "session.hand_over", input: ["session=77"], problem: "unknown_session"),
        CallSample(name: "session.handed_over", input: ["session=77"], problem: "unknown_session"),
        CallSample(name: "session.snapshot", input: ["session=77"], problem: "unknown_session"),
        CallSample(name: "session.restore", input: ["session=77", "state={}"], problem: "unknown_session"),
        CallSample(
            name: "session.announce", input: ["session=77", "url=http://192.0.2.9/gong.mp3"],
            problem: "unknown_session"),
        CallSample(name: "media.play", input: ["device=lobby"], problem: "no_media_session"),
        CallSample(
            name: "media.load",
            input: ["device=lobby", "url=http://192.0.2.9/film.mp4", "content_type=video/mp4", "duration=600"]),
        CallSample(name: "media.load", input: ["device=lobby"], problem: "invalid_input"),
        CallSample(
            name: "media.check", input: ["device=lobby", "url=http://192.0.2.9/film.mp4", "content_type=video/mp4"]),
        CallSample(
            name: "media.load", input: ["device=lobby", "catalogue=films", "item=a"], problem: "unknown_catalogue"),
        CallSample(name: "media.load", input: ["device=lobby", "catalogue=films"], problem: "invalid_input"),
        CallSample(name: "media.status", input: ["device=lobby", "whole=true"]),
        CallSample(name: "media.picture", input: ["device=lobby", "use=background"], problem: "no_picture"),
        CallSample(name: "media.pause", input: ["device=lobby"]),
        CallSample(name: "media.play", input: ["device=lobby"]),
        CallSample(name: "media.seek", input: ["device=lobby", "position=20", "resume=pause"]),
        CallSample(name: "media.seek", input: ["device=lobby", "position=20", "by=2"], problem: "invalid_input"),
        CallSample(name: "media.rate", input: ["device=lobby", "rate=1.5"]),
        CallSample(name: "media.tracks", input: ["device=lobby", "active=[]"]),
        CallSample(name: "media.text_style", input: ["device=lobby", "style={\"font_scale\": 2}"]),
        CallSample(name: "media.stream_volume", input: ["device=lobby", "level=0.5"]),
        CallSample(name: "media.request", input: ["device=lobby", "type=DISPLAY_STATUS"]),
        CallSample(name: "media.skip_ad", input: ["device=attic"], problem: "unknown_device"),
        CallSample(
            name: "queue.insert",
            input: [
                "device=lobby",
                "items=[{\"media\": {\"contentId\": \"http://192.0.2.9/b.mp4\", \"contentType\": \"video/mp4\"}}]",
            ]),
        CallSample(name: "queue.list", input: ["device=lobby", "limit=1"]),
        CallSample(name: "queue.next", input: ["device=lobby"]),
        CallSample(name: "queue.previous", input: ["device=lobby"]),
        CallSample(name: "queue.jump", input: ["device=lobby", "by=1"]),
        CallSample(name: "queue.repeat", input: ["device=lobby", "mode=all"]),
        CallSample(name: "queue.shuffle", input: ["device=lobby"]),
        CallSample(name: "queue.move", input: ["device=attic", "items=[1]"], problem: "unknown_device"),
        CallSample(name: "queue.update", input: ["device=attic", "items=[]"], problem: "unknown_device"),
        CallSample(name: "queue.remove", input: ["device=attic", "items=[1]"], problem: "unknown_device"),
        CallSample(name: "media.stop", input: ["device=lobby"]),
        CallSample(name: "volume.set", input: ["device=lobby", "level=0.5", "muted=false"]),
        CallSample(name: "volume.get", input: ["device=lobby"]),
        CallSample(
            name: "message.send",
            input: ["device=lobby", "namespace=urn:x-cast:com.google.cast.debugoverlay", "text=hello"]),
        CallSample(
            name: "message.send", input: ["device=lobby", "namespace=urn:x-cast:com.google.cast.receiver", "text={}"],
            problem: "reserved_namespace"),
        CallSample(
            name: "message.send", input: ["device=lobby", "namespace=urn:x-cast:com.example.quiz", "text=hello"],
            problem: "unsupported_namespace"),
        CallSample(
            name: "message.send",
            input: [
                "device=lobby", "namespace=urn:x-cast:com.google.cast.debugoverlay",
                "text=\(String(repeating: "x", count: 65_000))",
            ], problem: "message_too_big"),
        CallSample(
            name: "channel.open", input: ["device=lobby", "namespace=urn:x-cast:com.example.quiz"], problem: "not_real"),
        CallSample(
            name: "channel.close", input: ["device=attic", "namespace=urn:x-cast:com.example.quiz"],
            problem: "unknown_device"),
        CallSample(name: "channels.list"),
        CallSample(
            name: "message.broadcast",
            input: ["device=lobby", "namespace=urn:x-cast:com.google.cast.debugoverlay", "text=hello"]),
        CallSample(
            name: "message.broadcast", input: ["device=lobby", "namespace=urn:x-cast:com.example.quiz", "text=hello"],
            problem: "unsupported_namespace"),
        CallSample(
            name: "message.send_to_sender",
            input: ["device=lobby", "sender=c0", "namespace=urn:x-cast:com.google.cast.debugoverlay", "text=hello"],
            problem: "unknown_sender"),
    ]
}
