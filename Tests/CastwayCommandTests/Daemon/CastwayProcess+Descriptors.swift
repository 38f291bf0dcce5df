import Foundation

extension CastwayProcess {
    struct NotLimited: Error {
        let code: Int32
    }

    /// Leaves the running process no more descriptors than it has, as if others of the machine had taken them all.
    func takeSpareDescriptors(of hard: Int) throws {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(self.id)/fd").compactMap(Int.init)
        try self.limitDescriptors(to: (open.max() ?? 0) + 1, hard: hard)
    }

    /// Changes how many descriptors the running process may have.
    func limitDescriptors(to soft: Int, hard: Int) throws {
        let tool = Process()
        tool.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        tool.arguments = ["--pid", "\(self.id)", "--nofile=\(soft):\(hard)"]
        try tool.run()
        tool.waitUntilExit()
        guard tool.terminationStatus == 0 else { throw NotLimited(code: tool.terminationStatus) }
    }
}
