import Foundation

/// What the machine has of processes and descriptors, by proc(5).
package enum ProcessTable {
    /// The ids of the processes whose command line holds a text.
    package static func processes(with text: String) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { id in
            guard let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline"), Self.state(of: id) != "Z"
            else {
                return false
            }
            return String(decoding: line, as: UTF8.self).contains(text)
        }
    }

    /// The ids of the processes, this one aside, that have a text in their environment.
    package static func processes(havingInEnvironment text: String) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { id in
            guard id != ProcessInfo.processInfo.processIdentifier,
                let environment = FileManager.default.contents(atPath: "/proc/\(id)/environ")
            else { return false }
            return environment.range(of: Data(text.utf8)) != nil
        }
    }

    /// The ids of the processes whose parent is this one, zombies counted.
    package static func children(of parent: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { id in
            Self.fields(of: id).count > 1 && Int32(Self.fields(of: id)[1]) == parent
        }
    }

    /// How many descriptors this process has open.
    package static var openDescriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }

    private static func state(of id: Int32) -> String { Self.fields(of: id).first ?? "" }

    /// The fields of `stat` behind the name.
    private static func fields(of id: Int32) -> [String] {
        guard let data = FileManager.default.contents(atPath: "/proc/\(id)/stat") else { return [] }
        let text = String(decoding: data, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: end)...].split(separator: " ").map(String.init)
    }
}
