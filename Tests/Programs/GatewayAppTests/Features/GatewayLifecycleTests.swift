import GatewayFixtures
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@testable import FeatureContract
@testable import GatewayApp

/// When services begin, and what the admin listener says of the gateway meanwhile.
@Suite(.timeLimit(.minutes(1))) struct GatewayLifecycleTests {
    /// A service that says that it has begun, and waits for the end.
    private struct Worker: Service, CustomStringConvertible {
        let begun: AsyncStream<String>.Continuation
        let description: String

        func run() async throws {
            self.begun.yield(self.description)
            try? await gracefulShutdown()
        }
    }

    private let lifecycle = GatewayLifecycle()
    private let begun: AsyncStream<String>
    private let input: AsyncStream<String>.Continuation

    init() {
        (self.begun, self.input) = AsyncStream.makeStream(of: String.self)
    }

    private func held(_ stage: GatewayLifecycle.Stage) -> any Service {
        self.lifecycle.held(StagedService(stage, Worker(begun: self.input, description: "\(stage)")))
    }

    @Test func servicesBeginInTheirStages() async throws {
        let services = [self.held(.devicesListening), self.held(.pluginsTried), self.held(.alone), self.held(.begun)]
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in services { group.addTask { try await service.run() } }
                var names = self.begun.makeAsyncIterator()
                #expect(await names.next() == "begun")
                // A later stage does not let anything begin before the gateway is alone.
                self.lifecycle.reach(.pluginsTried)
                self.lifecycle.reach(.alone)
                let next = [await names.next(), await names.next()]
                #expect(Set(next) == ["alone", "pluginsTried"])
                self.lifecycle.reach(.devicesListening)
                #expect(await names.next() == "devicesListening")
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }

    @Test func aGatewayThatIsNotAloneBeginsNothing() async throws {
        let service = self.held(.devicesListening)
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await service.run()
        }
        self.input.finish()
        #expect(await self.begun.first { _ in true } == nil)
    }

    @Test func aServiceWhoseStageDoesNotComeLearnsThatItHasToEnd() async throws {
        let service = self.held(.devicesListening)
        self.lifecycle.reach(.alone)
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await service.run()
        }
        #expect(await self.begun.first { _ in true } == "devicesListening")
    }

    @Test func aStageIsReachedOnce() {
        let count = Mutex(0)
        self.lifecycle.whenReached(.devicesListening) { count.withLock { $0 += 1 } }
        #expect(self.lifecycle.phase == .starting)
        self.lifecycle.reach(.devicesListening)
        self.lifecycle.reach(.devicesListening)
        #expect(self.lifecycle.phase == .ready)
        #expect(count.withLock { $0 } == 1)
        self.lifecycle.stop()
        #expect(self.lifecycle.phase == .stopping)
    }

    @Test func devicesThatListenTooLateDoNotMakeItReady() {
        self.lifecycle.stop()
        self.lifecycle.reach(.devicesListening)
        #expect(self.lifecycle.phase == .stopping)
    }

    @Test func requestsForReloadsThatComeTooLateAreAnswered() async {
        let feature = ReloadFeature(.test(), source: nil)
        await withTaskGroup(of: ReloadOutcome.self) { group in
            group.addTask { await feature.reload(nil, isDryRun: true) }
            await feature.close()
            guard case .failure(.unavailable) = await group.next() else {
                Issue.record("reloaded")
                return
            }
        }
    }
}
