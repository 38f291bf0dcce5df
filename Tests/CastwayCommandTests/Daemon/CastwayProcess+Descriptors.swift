import Foundation

extension CastwayProcess {
    struct NotLimited: Error {
        let code: Int32
    }

    /// Leaves the running process no more descriptors than it has, as if others of the machine had taken them all: the
    /// limit is the first number that is free, and what is open above it stays open.
    func takeSpareDescriptors(of hard: Int) throws {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(self.id)/fd").compactMap(Int.init)
        let free = (0...).first { !open.contains($0) } ?? hard
        try self.limitDescriptors(to: free, hard: hard)
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
