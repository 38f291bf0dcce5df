import CastIdentity
import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayFixtures
import GatewaySettings
import Testing

/// What a gateway of this process leaves behind when it has ended.
@Suite(.timeLimit(.minutes(2))) struct StateClosingTests {
    /// The files below a folder that this process has open.
    private static func open(below folder: String) throws -> [String] {
        let root = try #require(realpath(folder, nil))
        defer { free(root) }
        let prefix = String(cString: root) + "/"
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target.flatMap { $0.hasPrefix(prefix) ? $0 : nil }
        }
    }

    @Test func nothingStaysOpenAndAnotherMayBegin() async throws {
        let folder = try TemporaryFolder()
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.gateway.stateDirectory = folder.path
        for _ in 0..<2 {
            weak var ended: Gateway?
            try await RunningGateway.with(configuration) { running in
                ended = running.gateway
                let files = try Self.open(below: folder.path)
                #expect(files.contains { $0.hasSuffix("/castway.db") })
                #expect(StateLock.holder(directory: folder.path) != nil)
                await #expect(throws: (any Error).self) { _ = try await Gateway(configuration: configuration) }
            }
            #expect(try Self.open(below: folder.path).isEmpty)
            #expect(StateLock.holder(directory: folder.path) == nil)
            #expect(ended == nil)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.hasPrefix("castway.db-") })
    }
}
