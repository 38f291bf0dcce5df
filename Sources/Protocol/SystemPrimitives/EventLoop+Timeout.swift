package import NIOCore

extension EventLoop {
    /// Makes a promise that does not stay open longer than a given time.
    /// - Parameters:
    ///   - time: how long the promise may stay open.
    ///   - expire: completes the promise when the time is over; not called when it was completed before.
    /// - Returns: the promise. The timer ends with it.
    package func makePromise<Value: Sendable>(
        of type: Value.Type = Value.self, within time: TimeAmount,
        expire: @escaping @Sendable (EventLoopPromise<Value>) -> Void
    ) -> EventLoopPromise<Value> {
        let promise = self.makePromise(of: type)
        let timer = self.scheduleTask(in: time) { expire(promise) }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        return promise
    }
}
