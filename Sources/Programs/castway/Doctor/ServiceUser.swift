import CastDiscovery
import GatewayApp
import GatewayConfig
import GatewaySettings
import Glibc

/// The user that `castway.service` runs the gateway as. What root may do says little about what that user may.
struct ServiceUser: Sendable, Equatable {
    /// The last of those that systemd gives out for `DynamicUser=yes`.
    private static let dynamicUser: uid_t = 65519
    /// Where units are looked for, as systemd does.
    private static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    let name: String
    let user: uid_t
    let group: gid_t

    /// As whom the Avahi daemon is reached.
    var owner: AvahiConnection.Owner { (self.user, self.group) }

    /// Finds the user of the gateway that runs with a configuration, or else of the unit that would run it.
    /// - Returns: nil when this command is not root's, there is no such service, or root runs it.
    static func find(configuration: String, running: RunRecord?) -> ServiceUser? {
        guard geteuid() == 0 else { return nil }
        let found =
            if let running {
                TextFile.read("/proc/\(running.process)/status").flatMap { ServiceUser(status: $0) }
            } else {
                ServiceUser(
                    unit: Self.folders.lazy.compactMap { TextFile.read("\($0)/castway.service") }.first ?? "",
                    dropIns: Self.dropIns().compactMap { TextFile.read($0) },
                    configuration: RunningPath.absolute(configuration))
            }
        return found?.user == 0 ? nil : found
    }

    init(name: String, user: uid_t, group: gid_t) {
        self.name = name
        self.user = user
        self.group = group
    }

    /// Reads `/proc/PID/status`.
    /// - Returns: nil for what is none.
    init?(status: String) {
        /// The effective one, behind the real one.
        func id(_ key: String) -> UInt32? {
            let line = status.split(separator: "\n").first { $0.hasPrefix("\(key):") }
            return line?.split(whereSeparator: { $0 == "\t" || $0 == " " }).dropFirst(2).first.flatMap { UInt32($0) }
        }
        guard let user = id("Uid"), let group = id("Gid") else { return nil }
        let name = getpwuid(user).map { String(cString: $0.pointee.pw_name) }
        self.init(name: name ?? "user \(user)", user: user, group: group)
    }

    /// Reads a unit.
    /// - Parameters:
    ///   - dropIns: in the order in which they count.
    ///   - configuration: the file that the unit has to run with.
    /// - Returns: nil for a unit that runs with another file, as root, or as a user that is not there.
    init?(unit: String, dropIns: [String], configuration: String) {
        var values: [Substring: Substring] = [:]
        for line in ([unit] + dropIns).joined(separator: "\n").split(separator: "\n") {
            guard let sign = line.firstIndex(of: "=") else { continue }
            values[line[..<sign]] = line[line.index(after: sign)...]
        }
        guard values["ExecStart"]?.split(separator: " ").contains(where: { $0 == configuration }) == true else {
            return nil
        }
        let isDynamic = ["yes", "true", "on", "1"].contains(values["DynamicUser"])
        let written = values["User"].flatMap { $0.isEmpty ? nil : String($0) }
        // A dynamic user without a name has that of the unit; one that is there already is taken.
        if let name = written ?? (isDynamic ? "castway" : nil), let entry = getpwnam(name) {
            self.init(name: name, user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
        } else if isDynamic {
            self.init(name: "a user of DynamicUser=yes", user: Self.dynamicUser, group: Self.dynamicUser)
        } else {
            return nil
        }
    }

    /// The files that change the unit, in the order in which systemd takes them.
    private static func dropIns() -> [String] {
        var paths: [String: String] = [:]
        for folder in Self.folders {
            let inner = "\(folder)/castway.service.d/"
            for name in ConfigFileSystem.disk.find(inner, "*.conf") { paths[name] = paths[name] ?? inner + name }
        }
        return paths.sorted { $0.key < $1.key }.map(\.value)
    }
}
