import Foundation

/// Counts what the system knows of: processes of a gateway's plugins, and this process's descriptors.
enum ProcessCensus {
    /// The processes, zombies aside, that have a text in their environment or, as the launcher has, in their command line.
    static func processes(of text: String) throws -> [Int] {
        let own = ProcessInfo.processInfo.processIdentifier
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int.init).filter { process in
            guard process != own else { return false }
            return ["environ", "cmdline"].contains { name in
                FileManager.default.contents(atPath: "/proc/\(process)/\(name)")?.range(of: Data(text.utf8)) != nil
            }
        }
    }

    /// How many children this process has that ended and were not waited for.
    static func zombies() throws -> Int {
        let own = ProcessInfo.processInfo.processIdentifier
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int.init).filter { process in
            guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return false }
            // The name stands in brackets and may hold anything; state and parent follow it.
            let rest = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
            return rest.count > 1 && rest[0] == "Z" && rest[1] == "\(own)"
        }.count
    }

    /// What this process's descriptors lead to, in no order; numbers of sockets and pipes left out, what the event loops
    /// have opened for good, and the gateway's own state.
    static func descriptors() throws -> [String: Int] {
        var kinds: [String: Int] = [:]
        let files = FileManager.default
        for descriptor in try files.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"),
                !["anon_inode:[eventpoll]", "anon_inode:[eventfd]", "anon_inode:[timerfd]"].contains(target),
                !target.hasPrefix("/proc/"), !target.contains("/castway.db")
            else { continue }
            kinds[String(target.prefix { $0 != "[" || target.hasPrefix("anon") }), default: 0] += 1
        }
        return kinds
    }

    /// What there are more descriptors of than there were, and how many more.
    static func descriptors(beyond before: [String: Int]) throws -> [String: Int] {
        let more = try Self.descriptors().map { ($0, $1 - before[$0, default: 0]) }
        return Dictionary(uniqueKeysWithValues: more.filter { $0.1 > 0 })
    }
}
