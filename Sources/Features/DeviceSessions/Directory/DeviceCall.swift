import CastClient
import CastWire
import NIOCore
import SystemPrimitives

/// A call about a real device, on the event loop of that device: keeps the device from being hung up, carries the caller's
/// ``CommandTrace``, and knows how to give up what it waits for.
///
/// `POST /devices/{device}/media/load`, and every other command to an app on a real device, changes threads this often:
///
/// 1. The event loop of the listener hands the request to the task of its connection (`ControlAPI`).
/// 2. That task hands the command to a task of `CommandRequests`, which goes on when the caller leaves.
/// 3. The task of the command submits a call to the event loop of the device (``DeviceSessionDirectory/call(_:_:)``), and awaits one
///    promise. On the loop the call holds the device, finds, joins or waits for the session (``SessionSearch``), and sends the
///    command; the answer of the app completes the promise there.
/// 4. The task of the command resumes, then that of the connection, and the listener's event loop writes the response.
///
/// A task that is cancelled has ``takeBack()`` called on the loop, and still awaits the promise.
final class DeviceCall {
    /// The time that a caller waits for a device that is dialed for it alone.
    private static let dialPatience = TimeAmount.seconds(10)

    private let entry: DeviceSessionEntry
    private let trace: CommandTrace?
    /// True once the caller does not wait any more.
    private(set) var isTakenBack = false
    /// Completes what the call waits for now.
    private var giveUp: () -> Void = {}

    /// - Parameter trace: the command that the call is made for; nil for none.
    init(_ entry: DeviceSessionEntry, for trace: CommandTrace?) {
        self.entry = entry
        self.trace = trace
    }

    var device: DeviceSession { self.entry.session.value }
    var eventLoop: any EventLoop { self.entry.eventLoop }

    /// Holds the device until the call has its answer.
    /// - Parameter body: completes the promise, with nil when another object stands for the device now.
    /// - Returns: the answer; nil also for a device that was hung up for good just now.
    func begin<Answer: Sendable>(
        _ body: (DeviceCall, EventLoopPromise<Answer?>) -> Void
    ) -> EventLoopFuture<Answer?> {
        guard self.device.hold() else { return self.eventLoop.makeSucceededFuture(nil) }
        let promise = self.eventLoop.makePromise(of: Answer?.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in self.device.release() }
        CommandTrace.following(self.trace) { body(self, promise) }
        return promise.futureResult
    }

    /// Ends the wait of a caller that has left.
    func takeBack() {
        self.isTakenBack = true
        self.giveUp()
    }

    /// Goes on when a future has succeeded, after the code that completed it has returned.
    /// - Parameter giveUp: completes the future, or sees to it that it is completed soon; called when the caller takes the call back.
    func wait<Value: Sendable>(
        for future: EventLoopFuture<Value>, givingUp giveUp: @escaping () -> Void = {},
        then next: @escaping (Value) -> Void
    ) {
        self.giveUp = giveUp
        future.assumeIsolated().whenSuccess { value in
            self.giveUp = {}
            self.eventLoop.assumeIsolated().execute { CommandTrace.following(self.trace) { next(value) } }
        }
        // Taken back between two waits, when there was nothing to give up.
        if self.isTakenBack { self.giveUp() }
    }

    /// Asks the platform of the device. A device that is in no configuration is dialed for the caller, and waited for.
    /// - Parameters:
    ///   - request: without its number.
    ///   - kind: as for ``PlatformClient/call(_:in:kind:promise:)``.
    func ask(
        _ request: JSONObject, in namespace: Namespace, kind: RequestTracker<PlatformTicket>.Kind? = nil,
        then next: @escaping (RequestOutcome) -> Void
    ) {
        let ask = {
            guard !self.isTakenBack else { return next(.aborted(.cancelled)) }
            let (platform, promise) = (self.device.platform, self.eventLoop.makePromise(of: RequestOutcome.self))
            platform.call(request, in: namespace, kind: kind, promise: promise)
            self.wait(
                for: promise.futureResult,
                givingUp: {
                    promise.succeed(.aborted(.cancelled))
                    platform.forget(promise)
                }, then: next)
        }
        guard self.entry.isOnDemand, !self.device.isOnline, !self.isTakenBack else { return ask() }
        let dialed = self.eventLoop.makePromise(of: Void.self)
        self.device.answer(within: Self.dialPatience).cascade(to: dialed)
        self.wait(for: dialed.futureResult, givingUp: { dialed.succeed() }) { ask() }
    }
}

extension DeviceSessionDirectory {
    /// The number of times that a device is looked up which was hung up, or moved to another event loop, just now.
    private static let lookups = 8

    /// Has something done on the event loop of a device, which is not hung up meanwhile; one that is in no configuration is dialed
    /// for it.
    /// - Parameter body: as for ``DeviceCall/begin(_:)``.
    /// - Returns: nil when it is not known where the device is, when its event loop does not answer within the patience of the
    ///   caller, and when the gateway stops.
    func call<Answer: Sendable>(
        _ device: String, _ body: @escaping @Sendable (DeviceCall, EventLoopPromise<Answer?>) -> Void
    ) async -> Answer? {
        for _ in 0..<Self.lookups {
            var found = self.entry(device)
            if found == nil { found = try? await self.makeOnDemand(device) }
            guard let entry = found else { return nil }
            if EventLoopTimeout.current != nil, await entry.answer({ _ in true }) == nil { return nil }
            let call = NIOLoopBoundBox.makeBoxSendingValue(
                DeviceCall(entry, for: CommandTrace.current), eventLoop: entry.eventLoop)
            let answer = try? await withTaskCancellationHandler {
                try await entry.eventLoop.flatSubmit { call.value.begin(body) }.get()
            } onCancel: {
                entry.eventLoop.execute { call.value.takeBack() }
            }
            if let answer { return answer }
        }
        return nil
    }
}
