import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayCore
import Logging
import NamespaceHandlers
import Testing

@testable import DeviceControl
@testable import GatewaySettings
@testable import MessageBridges

/// Messages that are kept for an app, and those that come later.
@Suite(.timeLimit(.minutes(1))) struct KeptOrderTests {
    /// Right after a start it is not known what waits in the database.
    @Test func nothingOvertakesWhatMayWait() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("outbox.db")
        #expect(await !Self.door(Self.outbox(path)).isKeeping(for: "virtual:hall"))
        try Data().write(to: URL(filePath: path))
        let outbox = Self.outbox(path)
        let door = Self.door(outbox)
        #expect(await door.isKeeping(for: "virtual:hall"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await outbox.run() }
            while outbox.isOpening { await Task.yield() }
            #expect(await !door.isKeeping(for: "virtual:hall"))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private static func outbox(_ path: String) -> Outbox {
        Outbox(path: path, events: EventBus(), logger: Logger(label: "test"))
    }

    private static func door(_ outbox: Outbox) -> ChannelIngress {
        ChannelIngress(GatewayConfiguration(), outbox: outbox, refusals: ChannelRefusals())
    }
}
