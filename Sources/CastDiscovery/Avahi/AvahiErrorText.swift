import CAvahi

/// Avahi's error numbers in words.
enum AvahiErrorText {
    static func text(_ code: Int32) -> String {
        switch Int(code) {
        case AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DBUS_ERROR: "D-Bus or the Avahi daemon does not run"
        case AVAHI_ERR_DISCONNECTED: "the Avahi daemon is gone"
        default: avahi_strerror(code).map { String(cString: $0) } ?? "Avahi error \(code)"
        }
    }
}
