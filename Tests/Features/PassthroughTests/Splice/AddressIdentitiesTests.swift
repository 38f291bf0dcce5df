import CastDiscovery
import CastTransport
import GatewayConfig
import NIOCore
import Synchronization
import Testing

@testable import Passthrough

/// Which devices answer at the addresses of one that is passed through.
@Suite(.timeLimit(.minutes(1))) struct AddressIdentitiesTests {
    private static let own = DeviceID(String(repeating: "a", count: 32)).map { ExpectedDevice(id: $0) }
    private static let other = DeviceID(String(repeating: "b", count: 32))
    private let address = DialAddress(host: "192.0.2.1", port: 8009)
    private let now = NIODeadline.uptimeNanoseconds(1)

    @Test func anotherDeviceIsRefusedUntilItIsAskedAgain() throws {
        let (own, other) = (try #require(Self.own), try #require(Self.other))
        var identities = AddressIdentities()
        identities.follow(own)
        #expect(identities.answer(at: self.address, now: self.now) == nil)
        #expect(identities.note(.other(other), at: self.address, now: self.now) != nil)
        #expect(identities.answer(at: self.address, now: self.now)?.refusal != nil)
        #expect(identities.answer(at: self.address, now: self.now + .seconds(10)) == nil)
        #expect(identities.note(.confirmed, at: self.address, now: self.now) == nil)
        #expect(identities.answer(at: self.address, now: self.now).map { $0.refusal == nil } == true)
        identities.doubt()
        #expect(identities.answer(at: self.address, now: self.now) == nil)
        // It has said before which one it is.
        #expect(identities.note(.silent, at: self.address, now: self.now) != nil)
        #expect(identities.note(nil, at: self.address, now: self.now) != nil)
    }

    /// Not even the sender's first bytes reach a device that does not say that it is the one: here one that speaks no TLS.
    @Test func aSenderIsNotPassedThroughToAnotherDevice() async throws {
        let hello = PassthroughBench.hello
        let didHear = Mutex(false)
        try await RawPeer.listen { peer in
            // A question of the gateway's begins with another message.
            let first = try await peer.receive(hello.count)
            if first == hello { didHear.withLock { $0 = true } }
        } body: { port in
            var device = PassedDevice.at(port)
            device.identity = Self.own
            try await PassthroughBench.with(device) { bench in
                try await RawPeer.connect(to: bench.port) { sender in
                    try await sender.send(hello)
                    let back = try await sender.receiveAll()
                    #expect(back == [])
                }
                #expect(await bench.nextEnd()?.hasPrefix("the device cannot be reached") == true)
            }
        }
        #expect(!didHear.withLock { $0 })
    }
}
