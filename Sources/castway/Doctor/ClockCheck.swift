import GatewayApp
import Glibc

/// Whether the clock can be right: certificates are judged by it, on both sides.
struct ClockCheck: DoctorCheck {
    /// When this check was written: no right clock shows less.
    static let earliest: Int64 = 1_760_000_000
    /// Beyond this, certificates of devices in the field have ended.
    static let latest: Int64 = 2_200_000_000

    /// Seconds since 1970.
    var now: @Sendable () -> Int64 = { WallClock.secondsSince1970 }
    /// Whether the system says that something keeps its clock right; nil when it does not say.
    var isSynchronised: @Sendable () -> Bool? = { Self.systemClockIsKept() }

    let name = "clock"

    func findings() async -> [DoctorFinding] {
        let now = self.now()
        let date = CalendarDate.text(now)
        guard (Self.earliest...Self.latest).contains(now) else {
            return [
                .fail(
                    "time", "today would be \(date)",
                    advice: "set the clock, and let NTP keep it: timedatectl set-ntp true; certificates fail without it"
                )
            ]
        }
        switch self.isSynchronised() {
        case true: return [.ok("time", "\(date), kept by NTP")]
        case false:
            return [
                .warn(
                    "time", "\(date), and nothing keeps it right",
                    advice: "timedatectl set-ntp true; senders refuse certificates by their own clocks")
            ]
        case nil: return [.ok("time", date)]
        }
    }

    /// What systemd and the usual daemons leave behind in the file system; nil in containers and where nothing is known.
    /// - Parameter root: the folder that stands for `/`.
    static func systemClockIsKept(in root: String = "") -> Bool? {
        let exists = { (path: String) in access(root + path, F_OK) == 0 }
        if exists("/run/systemd/timesync/synchronized") { return true }
        let others = ["/run/chrony", "/run/chrony/chronyd.pid", "/run/ntpd.pid", "/run/ntpsec", "/run/openntpd.pid"]
        if others.contains(where: exists) { return nil }
        return exists("/run/systemd/system") ? false : nil
    }
}
