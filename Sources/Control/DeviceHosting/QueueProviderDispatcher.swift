import BuiltInReceiver
import CastWire
import GatewayCore
import GatewayOperations
import Logging
import NIOCore
package import PluginHosting
import ServiceLifecycle
import Synchronization

/// Passes what players ask about their queues to plugins, for as long as it runs. Bounded: what is too much is not asked.
package final class QueueProviderDispatcher: QueueProviders {
    private struct Job: Sendable {
        let question: QueueQuestion
        let plugin: String
        let deadline: Duration
        let answered: @Sendable (JSONObject?) -> Void
    }

    /// How many questions may wait; the players of further ones go on without.
    private static let limit = 256

    /// So many warnings a minute about one plugin; a sender may ask as often as it likes.
    private static let warningLimit = 5

    private let throttle = Mutex(LogThrottle<String>(linesPerWindow: warningLimit))
    private let logger: Logger
    private let jobs: AsyncStream<Job>
    private let input: AsyncStream<Job>.Continuation

    init(logger: Logger) {
        self.logger = logger
        (self.jobs, self.input) = AsyncStream.makeStream(of: Job.self, bufferingPolicy: .bufferingOldest(Self.limit))
    }

    func ask(
        _ question: QueueQuestion, of plugin: String, within time: Duration,
        answered: @escaping @Sendable (JSONObject?) -> Void
    ) {
        let job = Job(question: question, plugin: plugin, deadline: time, answered: answered)
        if case .enqueued = self.input.yield(job) { return }
        answered(nil)
    }

    /// Asks plugins until graceful shutdown; what is under way then is not answered any more.
    fileprivate func run(asking fleet: PluginFleet) async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await job in self.jobs { group.addTask { job.answered(await self.answer(job, by: fleet)) } }
            }
        }
        self.input.finish()
    }

    private func answer(_ job: Job, by fleet: PluginFleet) async -> JSONObject? {
        var input = job.question.details
        input["device"] = .string(job.question.device)
        input["app"] = .string(job.question.app)
        input["session"] = .string(job.question.session)
        do throws(OperationProblem) {
            guard let service = fleet[job.plugin] else { return nil }
            return try await service.provide("queue.\(job.question.kind.rawValue)", input, within: job.deadline)
        } catch {
            // A provider need not have an answer to everything.
            var metadata: Logger.Metadata = [
                "plugin": "\(job.plugin)", "device": "\(job.question.device)",
                "wanted": "\(job.question.kind.rawValue)", "reason": "\(error)",
            ]
            var level = Logger.Level.debug
            if error.code != "plugin_failed" {
                (level, metadata) = self.throttle.withLock { throttle in
                    var metadata = metadata
                    let level = throttle.level(.warning, for: job.plugin, at: .now(), metadata: &metadata)
                    return (level, metadata)
                }
            }
            self.logger.log(level: level, "The provider of a queue gives nothing", metadata: metadata)
            return nil
        }
    }
}

/// Has the questions of players answered while plugins run.
package struct QueueAnswers: Service, CustomStringConvertible {
    private let desk: QueueProviderDispatcher
    private let fleet: PluginFleet

    package let description = "queue providers"

    package init(desk: QueueProviderDispatcher, fleet: PluginFleet) {
        self.desk = desk
        self.fleet = fleet
    }

    package func run() async { await self.desk.run(asking: self.fleet) }
}
