import CastClient
import NIOCore
import NIOPosix
import Testing

/// A sender whose messages concern no plugin, and that sends all the time.
///
/// Beside it a thread of the test's own is asked for an answer at the same pace. It has nothing to do with the gateway, so how
/// long that takes is how long anything waits for the processors: faults that keep them busy make everyone wait, and only what
/// the bystander waits beyond that is the gateway's doing.
enum Bystander {
    /// No answer takes so much longer than the processors do unless it waits for a plugin; the deadlines of the plugins' messages
    /// are longer.
    private static let patience = Duration.seconds(2)
    /// A message and its answer go through more threads than the question to the test's own.
    private static let threadsOnTheWay = 4
    /// Between two of its messages; it must not be the load itself.
    private static let pace = Duration.milliseconds(4)

    /// Sends as long as `body` runs, and at least 20 messages; an answer that takes too long is an issue.
    static func watches<Result>(
        _ bench: ChaosBench, while body: () async throws -> Result
    ) async throws -> Result {
        let sender = try await bench.sender()
        let isOver = Flag()
        let control = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        return try await withThrowingTaskGroup(of: (isControl: Bool, count: Int, longest: Duration).self) { group in
            group.addTask {
                var (count, longest) = (0, Duration.zero)
                while !isOver.isSet || count < 20 {
                    let answer = try await sender.askBystander()
                    #expect(answer.type == "ECHO")
                    count += 1
                    longest = max(longest, answer.time)
                    try await Task.sleep(for: Self.pace)  // lint:allow a pace, not a wait
                }
                return (false, count, longest)
            }
            group.addTask {
                let clock = ContinuousClock()
                var (count, longest) = (0, Duration.zero)
                while !isOver.isSet || count < 20 {
                    let start = clock.now
                    try await control.next().submit {}.get()
                    count += 1
                    longest = max(longest, clock.now - start)
                    try await Task.sleep(for: Self.pace)  // lint:allow a pace, not a wait
                }
                return (true, count, longest)
            }
            do {
                let result = try await body()
                isOver.set()
                var processors = Duration.zero
                var others = (count: 0, longest: Duration.zero)
                for try await (isControl, count, longest) in group {
                    if isControl { processors = longest } else { others = (count, longest) }
                }
                #expect(
                    others.longest < Self.patience + processors * Self.threadsOnTheWay,
                    "others waited \(others.longest) at most, of \(others.count) messages, and for a processor \(processors)"
                )
                await sender.device.close()
                try await control.shutdownGracefully()
                return result
            } catch {
                group.cancelAll()
                await sender.device.close()
                try? await control.shutdownGracefully()
                throw error
            }
        }
    }
}
