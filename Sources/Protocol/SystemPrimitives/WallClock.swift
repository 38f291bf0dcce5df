import Glibc

/// The time of day, for what certificates say.
package enum WallClock {
    package static var secondsSince1970: Int64 { Int64(time(nil)) }

    /// Whether the system says that something keeps its clock right: what systemd and the usual daemons leave behind in the file system;
    /// nil in containers and where nothing is known.
    /// - Parameter root: the folder that stands for `/`.
    package static func isKept(in root: String = "") -> Bool? {
        let exists = { (path: String) in access(root + path, F_OK) == 0 }
        if exists("/run/systemd/timesync/synchronized") { return true }
        let others = ["/run/chrony", "/run/chrony/chronyd.pid", "/run/ntpd.pid", "/run/ntpsec", "/run/openntpd.pid"]
        if others.contains(where: exists) { return nil }
        return exists("/run/systemd/system") ? false : nil
    }
}
