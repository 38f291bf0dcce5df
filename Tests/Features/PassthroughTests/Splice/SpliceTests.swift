import CastwayTestSupport
import DeviceListening
import GatewayConfig
import NIOCore
import Testing

@testable import Passthrough

/// Splices between plain connections on loopback.
@Suite(.timeLimit(.minutes(1))) struct SpliceTests {
    private static let hello = PassthroughBench.hello

    @Test func bytesPassUnchanged() async throws {
        var generator = SeededGenerator(seed: 12)
        let sent = Self.hello + (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let length = sent.count
        try await RawPeer.listen { device in
            try await device.send(try await device.receive(length))
            _ = try await device.receiveAll()
        } body: { devicePort in
            try await PassthroughBench.with(.at(devicePort)) { bench in
                let back = try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(sent)
                    return try await sender.receive(length)
                }
                #expect(back == sent)
                let reason = await bench.nextEnd()
                #expect(reason == "closed by the sender")
                let overview = await bench.environment.running.overview(of: "room")
                #expect(overview?.counts.opened == 1)
                #expect(overview?.counts.fromSenders == UInt64(length))
                #expect(overview?.counts.fromDevice == UInt64(length))
                #expect(overview?.splices.isEmpty == true)
            }
        }
    }

    @Test func aHelloInSingleBytesIsOneToo() async throws {
        try await RawPeer.listen { device in
            try await device.send(try await device.receive(Self.hello.count))
        } body: { devicePort in
            try await PassthroughBench.with(.at(devicePort)) { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    for byte in Self.hello { try await sender.send([byte]) }
                    let back = try await sender.receive(Self.hello.count)
                    #expect(back == Self.hello)
                }
            }
        }
    }

    @Test func halfClosedConnectionsStayHalfOpen() async throws {
        let answer = [UInt8](repeating: 7, count: 100_000)
        try await RawPeer.listen { device in
            let all = try await device.receiveAll()
            #expect(all == Self.hello)
            try await device.send(answer)
            device.finish()
        } body: { devicePort in
            try await PassthroughBench.with(.at(devicePort)) { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Self.hello)
                    sender.finish()
                    let back = try await sender.receiveAll()
                    #expect(back == answer)
                }
                let reason = await bench.nextEnd()
                #expect(reason == "closed by the sender")
            }
        }
    }

    @Test func whatIsNoTLSReachesNoDevice() async throws {
        let reached = Inbox<Void>()
        try await RawPeer.listen { _ in
            reached.put(())
        } body: { devicePort in
            try await PassthroughBench.with(.at(devicePort)) { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Array("GET /setup/reboot HTTP/1.1\r\n\r\n".utf8))
                    let back = try await sender.receiveAll()
                    #expect(back == [])
                }
                let reason = await bench.nextEnd()
                #expect(reason == "what the sender sent first is not TLS")
                let overview = await bench.environment.running.overview(of: "room")
                #expect(overview?.counts == PassthroughCounts(opened: 0, refused: 1, fromSenders: 30, fromDevice: 0))
            }
        }
    }

    @Test func aSilentSenderIsCut() async throws {
        try await PassthroughBench.with(.at(1)) { _, environment in
            environment.limits.opening = .milliseconds(50)
        } body: { bench in
            try await RawPeer.connect(to: bench.port) { sender in
                try await sender.send([0x16])
                let back = try await sender.receiveAll()
                #expect(back == [])
            }
            let reason = await bench.nextEnd()
            #expect(reason == "the sender did not begin TLS in time")
        }
    }

    @Test func spliceWithoutBytesIsCut() async throws {
        try await RawPeer.listen { device in
            _ = try await device.receiveAll()
        } body: { devicePort in
            try await PassthroughBench.with(.at(devicePort)) { _, environment in
                environment.limits.idle = .milliseconds(50)
            } body: { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Self.hello)
                    let back = try await sender.receiveAll()
                    #expect(back == [])
                }
                let reason = await bench.nextEnd()
                #expect(reason == "nothing has passed for 0 s")
            }
        }
    }

    /// The device reads nothing: the sender is not read either, and little is kept for it here.
    @Test func aDeviceThatDoesNotReadSlowsTheSender() async throws {
        let free = Inbox<Void>()
        try await RawPeer.listen { _ in
            _ = await free.next()
        } body: { devicePort in
            try await PassthroughBench.with(.at(devicePort)) { _, environment in
                environment.limits.stall = .milliseconds(200)
            } body: { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Self.hello)
                    // More than both kernels keep.
                    try? await sender.send([UInt8](repeating: 1, count: 64 << 20))
                    _ = try? await sender.receiveAll()
                }
                let reason = await bench.nextEnd()
                #expect(reason == "the device reads nothing of what it is sent")
                let passed = await bench.environment.running.overview(of: "room")?.counts.fromSenders
                #expect(try #require(passed) < 32 << 20)
                free.put(())
            }
        }
    }

    @Test func aSenderThatDoesNotReadSlowsTheDevice() async throws {
        try await RawPeer.listen { device in
            _ = try await device.receive(Self.hello.count)
            try await device.send([UInt8](repeating: 1, count: 64 << 20))
            _ = try await device.receiveAll()
        } body: { devicePort in
            try await PassthroughBench.with(.at(devicePort)) { _, environment in
                environment.limits.stall = .milliseconds(200)
            } body: { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(Self.hello)
                    let reason = await bench.nextEnd()
                    #expect(reason == "the sender reads nothing of what it is sent")
                }
                let passed = await bench.environment.running.overview(of: "room")?.counts.fromDevice
                #expect(try #require(passed) < 32 << 20)
            }
        }
    }

    @Test func aThousandSendersArePassedThrough() async throws {
        // Of those that connect at once the backlog has room for all, so no SYN waits until it is sent again.
        let (count, atOnce) = (1000, 64)
        try await withDescriptors(count * 4 + 512) {
            try await RawPeer.listen { device in
                while let bytes = try await device.receive() { try await device.send(bytes) }
            } body: { devicePort in
                try await PassthroughBench.with(.at(devicePort)) { bench in
                    try await withThrowingTaskGroup(of: Bool.self) { group in
                        let open = Inbox<Void>()
                        let port = bench.port
                        for number in 0..<count {
                            if number >= atOnce { _ = await open.next() }
                            group.addTask {
                                try await RawPeer.connect(to: port) { sender in
                                    let bytes = Self.hello + [UInt8(truncatingIfNeeded: number)]
                                    try await sender.send(bytes)
                                    let back = try await sender.receive(bytes.count)
                                    open.put(())
                                    let rest = try await sender.receiveAll()
                                    return back == bytes && rest == []
                                }
                            }
                        }
                        for _ in 0..<atOnce { _ = await open.next() }
                        let overview = await bench.environment.running.overview(of: "room")
                        #expect(overview?.splices.count == count)
                        #expect(overview?.counts.refused == 0)
                        bench.service.stop("the test is over")
                        for try await isSame in group { #expect(isSame) }
                    }
                }
            }
        }
    }
}
