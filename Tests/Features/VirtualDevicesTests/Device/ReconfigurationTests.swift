import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import VirtualDevices

/// A virtual device that takes another configuration.
@Suite struct ReconfigurationTests {
    /// Makes another target than the one that runs.
    private struct OtherTarget: DeviceTargetFactory {
        nonisolated(unsafe) let target: FakeTarget

        var deviceName: String? { "other" }
        var apps: [AppID] { [] }
        func eventLoop(in group: any EventLoopGroup) -> any EventLoop { group.next() }
        func makeTarget(for device: DeviceFacts, on eventLoop: any EventLoop) -> any DeviceTarget { self.target }
        func reconfigure(
            _ target: any DeviceTarget, madeBy old: any DeviceTargetFactory, for device: DeviceFacts
        ) -> Bool { false }
    }

    private let bench: DeviceBench
    private let other = FakeTarget()

    init() throws {
        self.bench = try DeviceBench()
    }

    private func reconfigure() throws(GatewayError) {
        try self.bench.device.reconfigure(
            self.bench.device.facts, target: OtherTarget(target: self.other), madeBy: FakeTargetFactory())
    }

    @Test func anotherTargetTakesOver() throws {
        _ = try self.bench.connect(.connect("sender-0"))
        try self.reconfigure()
        #expect(self.bench.target.calls.suffix(2) == [.prepareForReplacement, .stop])
        #expect(self.other.calls.last == .announce && self.other.calls.count == 2)
    }

    /// What starts after the end would hold the device for ever.
    @Test func aDeviceThatHasStoppedTakesNone() throws {
        self.bench.device.stop("the test is over")
        let error = #expect(throws: GatewayError.self) { try self.reconfigure() }
        #expect(error?.code == .unavailable)
        #expect(self.other.calls.isEmpty && self.other.output == nil)
    }
}
