import CastWire
import GatewayCore
import Logging
import NIOCore

/// One hop from a router to a handler and back: built in, in a library, or in a process.
final class RoutedHop: Subject {
    let name: String
    private let driver: NIOLoopBound<RoutedHopDriver>

    /// - Parameter registry: with the handler that owns ``Sample/namespace``, and no other handler.
    init(_ name: String, registry: HandlerRegistry, on eventLoop: any EventLoop) async throws {
        self.name = name
        self.driver = try await eventLoop.submit {
            NIOLoopBound(RoutedHopDriver(registry: registry, eventLoop: eventLoop), eventLoop: eventLoop)
        }.get()
    }

    func run(depth: Int, count: Int) async throws -> Round {
        try await self.driver.eventLoop.flatSubmit { self.driver.value.run(depth: depth, count: count) }.get()
    }
}
