import CastClient
import Testing

/// A sender whose messages concern no plugin, and that sends all the time.
enum Bystander {
    /// No answer takes so long unless it waits for a plugin, on a busy machine either: the deadlines of the plugins' messages are
    /// twice as long.
    static let patience = Duration.seconds(5)
    /// Between two of its messages; it must not be the load itself.
    private static let pace = Duration.milliseconds(4)

    /// Sends as long as `body` runs, and at least 20 messages; an answer that takes too long is an issue.
    /// - Parameter patience: less than the shortest deadline of a plugin's messages.
    static func watches<Result>(
        _ bench: ChaosBench, patience: Duration = Self.patience, while body: () async throws -> Result
    ) async throws -> Result {
        let sender = try await bench.sender()
        let isOver = Flag()
        return try await withThrowingTaskGroup(of: (count: Int, longest: Duration).self) { group in
            group.addTask {
                var (count, longest) = (0, Duration.zero)
                while !isOver.isSet || count < 20 {
                    let answer = try await sender.askBystander()
                    #expect(answer.type == "ECHO")
                    count += 1
                    longest = max(longest, answer.time)
                    try await Task.sleep(for: Self.pace)  // lint:allow a pace, not a wait
                }
                return (count, longest)
            }
            do {
                let result = try await body()
                isOver.set()
                for try await (count, longest) in group {
                    #expect(longest < patience, "others waited \(longest) at most, of \(count) messages")
                }
                await sender.device.close()
                return result
            } catch {
                group.cancelAll()
                await sender.device.close()
                throw error
            }
        }
    }
}
