import CastWire
import CastwayTestSupport
import Foundation
import Glibc

extension CastwayProcess {
    struct NotLimited: Error {
        let code: Int32
    }

    /// Leaves the running process no more descriptors than it has, as if others of the machine had taken them all.
    func takeSpareDescriptors(of hard: Int) async throws {
        // It tells itself, since only root may look into a process that is closed to tracers.
        self.signal(SIGQUIT)
        let state = await self.errorLine(with: #""msg":"State","#)
        let open = try JSONReader.read(state ?? "").objectValue?.int("descriptors")
        try self.limitDescriptors(to: open ?? hard, hard: hard)
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
