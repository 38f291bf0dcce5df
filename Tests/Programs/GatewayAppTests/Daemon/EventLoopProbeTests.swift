import DeviceHosting
import Dispatch
import NIOCore
import NIOPosix
import Testing
import VirtualDevices

@testable import GatewayApp

@Suite(.timeLimit(.minutes(1))) struct EventLoopProbeTests {
    @Test func loopsThatTurnAnswer() async {
        let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
        let answers = await EventLoopProbe(eventLoops: loops, devices: RunningDevices()).take(within: .seconds(30))
        #expect(answers.silent.isEmpty)
        #expect(answers.devices.isEmpty)
        #expect(answers.slowest < .seconds(30))
    }

    @Test func aLoopThatIsStuckIsNamedAndTheOthersAnswer() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let loops = Array(group.makeIterator())
        let pulse = EventLoopProbe(eventLoops: loops, devices: RunningDevices())
        let release = DispatchSemaphore(value: 0)
        loops[1].execute { release.wait() }
        #expect(await pulse.take(within: .milliseconds(200)).silent == [1])
        release.signal()
        #expect(await pulse.take(within: .seconds(30)).silent.isEmpty)
        try await group.shutdownGracefully()
    }
}
