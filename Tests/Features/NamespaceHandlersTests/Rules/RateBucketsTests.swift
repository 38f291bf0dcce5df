import GatewayCore
import GatewayTesting
import NIOCore
import Testing

@testable import NamespaceHandlers

@Suite struct RateBucketsTests {
    private static func instant(_ milliseconds: Int) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .milliseconds(Int64(milliseconds))
    }

    private static func key(
        _ connection: UInt64?, plugin: String? = nil, device: String = "test", address: String? = nil
    ) -> RateBuckets.Key {
        RateBuckets.Key(
            RoutedMessage(
                .test("{}"), direction: .toReceiver, device: .test(name: device),
                connection: connection.map(ConnectionID.init(rawValue:)), senderAddress: address,
                origin: plugin.map { MessageOrigin($0) }))
    }

    private func buckets(_ rate: String, limit: Int = 4096) throws -> RateBuckets {
        RateBuckets(try #require(MessageRate(rate)), limit: limit)
    }

    @Test func asManyAsTheRateSaysPassAtOnceAndThenOneAfterTheOther() throws {
        let buckets = try self.buckets("3/1m")
        for _ in 0..<3 { #expect(buckets.take(Self.key(1), at: Self.instant(0))) }
        #expect(!buckets.take(Self.key(1), at: Self.instant(0)))
        #expect(!buckets.take(Self.key(1), at: Self.instant(19_999)))
        #expect(buckets.take(Self.key(1), at: Self.instant(20_000)))
        #expect(!buckets.take(Self.key(1), at: Self.instant(20_001)))
        for _ in 0..<3 { #expect(buckets.take(Self.key(1), at: Self.instant(200_000))) }
        #expect(!buckets.take(Self.key(1), at: Self.instant(200_000)))
    }

    @Test func eachSenderOfEachDeviceHasABucket() throws {
        let buckets = try self.buckets("1/1m")
        let keys = [
            Self.key(1), Self.key(2), Self.key(1, device: "hall"), Self.key(1, plugin: "quiz"),
            Self.key(nil, plugin: "party"),
            Self.key(nil),
        ]
        for key in keys { #expect(buckets.take(key, at: Self.instant(0))) }
        for key in keys { #expect(!buckets.take(key, at: Self.instant(1))) }
        // A plugin is the same sender on every connection.
        #expect(!buckets.take(Self.key(7, plugin: "quiz"), at: Self.instant(2)))
        #expect(buckets.count == keys.count)
    }

    @Test func aSenderIsTheSameOnEveryConnectionOfItsAddress() throws {
        let buckets = try self.buckets("1/1m")
        for (addresses, other) in [
            (["192.0.2.7", "::ffff:192.0.2.7", "::ffff:c000:207"], "192.0.2.8"),
            (["2001:db8::7", "2001:db8::1:2:3:4", "2001:0db8:0:0::9"], "2001:db8:0:1::7"),
            (["unknown"], "?"),
        ] {
            #expect(buckets.take(Self.key(1, address: other), at: Self.instant(0)))
            for (number, address) in addresses.enumerated() {
                let key = Self.key(UInt64(number + 2), address: address)
                #expect(buckets.take(key, at: Self.instant(0)) == (number == 0), "\(address)")
            }
            #expect(!buckets.take(Self.key(9, address: addresses[0]), at: Self.instant(1)))
            #expect(buckets.take(Self.key(9, device: "hall", address: addresses[0]), at: Self.instant(1)))
        }
    }

    @Test func sendersBeyondTheBucketsAreRefusedUntilOneIsFull() throws {
        let buckets = try self.buckets("1/10s", limit: 2)
        #expect(buckets.take(Self.key(1), at: Self.instant(0)))
        #expect(buckets.take(Self.key(2), at: Self.instant(5_000)))
        #expect(!buckets.take(Self.key(3), at: Self.instant(5_001)))
        #expect(buckets.count == 2)
        #expect(!buckets.take(Self.key(3), at: Self.instant(9_999)))
        // The first is full again, and looked for once a second.
        #expect(!buckets.take(Self.key(3), at: Self.instant(10_000)))
        #expect(buckets.take(Self.key(3), at: Self.instant(10_999)))
        #expect(!buckets.take(Self.key(1), at: Self.instant(11_000)))
        #expect(buckets.count == 2)
    }
}
