import CastWire
import GatewayCore
import NIOCore
import PluginKit
import Synchronization
import SystemPrimitives

/// A plugin's wire, for callers on other event loops and in tasks.
final class PluginConnection: Sendable {
    /// The number of copies that may be on their way from other event loops.
    private static let hopLimit = 1024

    let eventLoop: any EventLoop
    private let wire: NIOLoopBound<PluginWire>
    private let hopping = Atomic(0)
    private let unhopped = Atomic(0)
    private let numbers: MessageNumbers
    /// The depths of the operations that the plugin does.
    let depths = OperationDepths()
    private let nextTrace = Atomic(0)

    /// Takes a wire on its event loop.
    init(_ wire: PluginWire, numbers: MessageNumbers) {
        self.eventLoop = wire.eventLoop
        self.wire = NIOLoopBound(wire, eventLoop: wire.eventLoop)
        self.numbers = numbers
    }

    func submit(_ message: RoutedMessage, phase: RoutingPhase, deadline: Duration, _ deferral: Deferral) {
        let until = NIODeadline.now() + TimeAmount(deadline)
        let id = self.numbers.next()
        guard self.eventLoop.inEventLoop else {
            return self.eventLoop.execute {
                self.wire.value.submit(
                    PluginWorkItem(message: message, phase: phase, deadline: until, deferral: deferral, id: id))
            }
        }
        self.wire.value.submit(
            PluginWorkItem(message: message, phase: phase, deadline: until, deferral: deferral, id: id))
    }

    func observe(_ message: RoutedMessage) {
        self.notify(PluginEvent(PluginMessage(message, id: self.numbers.next())))
    }

    func notify(_ event: PluginEvent) {
        if self.eventLoop.inEventLoop { return self.wire.value.notify(event) }
        guard self.hopping.wrappingAdd(1, ordering: .relaxed).newValue <= Self.hopLimit else {
            self.hopping.wrappingSubtract(1, ordering: .relaxed)
            self.unhopped.wrappingAdd(1, ordering: .relaxed)
            return
        }
        self.eventLoop.execute {
            self.hopping.wrappingSubtract(1, ordering: .relaxed)
            let lost = self.unhopped.exchange(0, ordering: .relaxed)
            if lost > 0 { self.wire.value.dropEvents(lost) }
            self.wire.value.notify(event)
        }
    }

    /// Asks the plugin something other than a message.
    /// - Throws: ``GatewayError`` with `handlerTimedOut` when no answer comes in time, `unavailable` when the plugin ends.
    func call(
        within time: Duration, _ line: @escaping @Sendable (PluginRequestID) -> GatewayLine
    ) async throws -> RPCResponse {
        let promise = self.eventLoop.makePromise(of: RPCResponse.self, within: TimeAmount(time)) {
            $0.fail(GatewayError(.handlerTimedOut, "the plugin did not answer in \(time)"))
        }
        self.eventLoop.execute { self.wire.value.call(promise, line) }
        return try await promise.futureResult.get()
    }

    /// Tells the plugin that no message comes any more, once it has those that wait for a credit.
    /// - Parameter successor: who gets the messages that come nevertheless.
    /// - Throws: as ``call(within:_:)``.
    func drain(within time: Duration, successor: PluginConnection?) async throws -> RPCResponse {
        let promise = self.eventLoop.makePromise(of: RPCResponse.self, within: TimeAmount(time)) {
            $0.fail(GatewayError(.handlerTimedOut, "the plugin did not end its work in \(time)"))
        }
        self.eventLoop.execute {
            self.wire.value.drain(promise, DrainRequest(deadline: time), successor: successor)
        }
        return try await promise.futureResult.get()
    }

    /// Asks the plugin about a message that another process would have been asked about.
    func submit(again item: PluginWorkItem) {
        let (message, phase, deadline, deferral) = (item.message, item.phase, item.deadline, item.deferral)
        let id = item.id
        self.eventLoop.execute {
            self.wire.value.submit(
                PluginWorkItem(message: message, phase: phase, deadline: deadline, deferral: deferral, id: id))
        }
    }

    /// Answers what the plugin asked.
    /// - Parameter hidesSecrets: whether the answer may hold what traces do not show.
    func answer(_ response: RPCResponse, hidesSecrets: Bool = false) {
        self.eventLoop.execute { self.wire.value.answer(response, hidesSecrets: hidesSecrets) }
    }

    /// Puts what was agreed on in force.
    func agree(credits: Int, maximumDeadline: Duration) async throws {
        try await self.onLoop { $0.agree(credits: credits, maximumDeadline: maximumDeadline) }
    }

    func follow(_ bounds: PluginBounds) async throws {
        try await self.onLoop { $0.follow(bounds) }
    }

    /// The counts until now.
    func counts() async -> PluginCounts {
        (try? await self.onLoop { $0.counts }) ?? PluginCounts()
    }

    /// The counts until now, and the number of messages under way; nil when that is not said within the patience of the caller.
    func told(of plugin: String) async -> (counts: PluginCounts, inFlight: Int)? {
        let wire = self.wire
        return await self.eventLoop.answer(about: "plugin:\(plugin)") {
            (counts: wire.value.counts, inFlight: wire.value.inFlightCount)
        }
    }

    /// The counts until now, and the number of messages under way; nil when that is not said in time.
    func counts(within limit: Duration) async -> (counts: PluginCounts, inFlight: Int)? {
        let wire = self.wire
        let survey = await LoopSurvey(of: [self.eventLoop], within: limit) { _ in
            (counts: wire.value.counts, inFlight: wire.value.inFlightCount)
        }
        return survey.answers.first
    }

    /// Waits until the plugin has no message any more, or the time is over.
    func idle(within time: Duration) async {
        let promise = self.eventLoop.makePromise(of: Void.self, within: TimeAmount(time)) { $0.succeed() }
        self.eventLoop.execute { self.wire.value.whenIdle { promise.succeed() } }
        try? await promise.futureResult.get()
    }

    /// Reads along until the stream is dropped or the plugin ends.
    func trace() -> AsyncStream<String> {
        let id = self.nextTrace.wrappingAdd(1, ordering: .relaxed).newValue
        let (lines, reader) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1024))
        self.eventLoop.execute {
            if self.wire.value.isClosed { reader.finish() } else { self.wire.value.traces.add(id, reader) }
        }
        reader.onTermination = { [weak self] _ in
            guard let self else { return }
            self.eventLoop.execute { self.wire.value.traces.remove(id) }
        }
        return lines
    }

    /// Says that the gateway has nothing more to say; a plugin takes that for the end.
    func endWriting() {
        self.eventLoop.execute { self.wire.value.transport?.endWriting() }
    }

    func close() {
        self.eventLoop.execute {
            guard let transport = self.wire.value.transport else {
                return self.wire.value.closed("the gateway closed it")
            }
            transport.close()
        }
    }

    func withWire(_ body: (PluginWire) -> Void) { body(self.wire.value) }

    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (PluginWire) throws -> Value
    ) async throws -> Value {
        try await self.eventLoop.submit { try body(self.wire.value) }.get()
    }
}

extension PluginMessage {
    /// A message on its way through the gateway, as a plugin sees it.
    init(_ routed: RoutedMessage, id: String) {
        let message = routed.message
        self.init(
            id: id, device: routed.device.name, leg: routed.leg, direction: routed.direction,
            connection: routed.connection.map { Int(truncatingIfNeeded: $0.rawValue) }, sender: routed.senderAddress,
            session: routed.session?.sessionID, app: routed.session?.appID.rawValue, source: message.source,
            destination: message.destination, namespace: message.namespace, payload: message.payload,
            summary: routed.summary)
    }
}

/// Numbers the messages that plugins are asked about, or the calls of their operations, for all plugins of a gateway together.
final class MessageNumbers: Sendable {
    private let prefix: String
    private let last = Atomic<UInt64>(0)

    init(_ prefix: String = "m") {
        self.prefix = prefix
    }

    /// The next id, such as `m-17`.
    func next() -> String {
        "\(self.prefix)-\(self.last.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
