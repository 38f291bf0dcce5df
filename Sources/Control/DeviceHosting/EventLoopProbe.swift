package import NIOCore
package import VirtualDevices

/// Asks every event loop, and every virtual device on it, whether it still turns.
package struct EventLoopProbe: Sendable {
    /// What came back.
    package struct Answers: Sendable {
        package var devices: [VirtualDeviceState] = []
        /// The loops that did not answer in time, counted from 0.
        package var silent: Set<Int>
        /// How long the slowest loop that answered took.
        package var slowest: Duration = .zero
    }

    package let eventLoops: [any EventLoop]
    let devices: RunningDevices

    /// - Parameter devices: the virtual devices that are asked on their loops.
    package init(eventLoops: [any EventLoop], devices: RunningDevices) {
        self.eventLoops = eventLoops
        self.devices = devices
    }

    /// Asks, and waits for the answers.
    package func take(within limit: Duration) async -> Answers {
        let (answers, input) = AsyncStream.makeStream(of: (loop: Int, states: [VirtualDeviceState]).self)
        let clock = ContinuousClock()
        let start = clock.now
        for (index, eventLoop) in self.eventLoops.enumerated() {
            eventLoop.execute { input.yield((index, self.devices.states(on: eventLoop))) }
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await clock.sleep(for: limit)
                input.finish()
            }
            var result = Answers(silent: Set(self.eventLoops.indices))
            for await answer in answers {
                result.silent.remove(answer.loop)
                result.devices += answer.states
                result.slowest = clock.now - start
                if result.silent.isEmpty { break }
            }
            group.cancelAll()
            result.devices.sort { $0.name < $1.name }
            return result
        }
    }
}
