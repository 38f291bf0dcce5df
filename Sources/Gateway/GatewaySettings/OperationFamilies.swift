/// The families of the gateway's own operations, which no operation of a plugin belongs to.
enum OperationFamilies {
    /// The words before the first point of names: those in use, and some that are kept for later.
    static let reserved: Set<String> = [
        "access", "bridge", "bridges", "castway", "catalog", "catalogue", "channel", "channels", "config",
        "credentials", "device", "devices", "discovery", "gateway", "group", "guest", "guests", "handler", "handlers",
        "health", "join_code", "join_codes", "launch", "log", "media", "message", "messages", "metrics", "outbox",
        "pictures", "playback", "plugin", "plugins", "queue", "request", "requests", "route", "routing", "senders",
        "session", "sessions", "state", "system", "token", "tokens", "virtual_device", "virtual_devices", "volume",
    ]
}
