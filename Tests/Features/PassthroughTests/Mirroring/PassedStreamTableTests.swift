import GatewayCore
import MediaRelay
import Testing

@testable import Passthrough

/// Which datagrams begin a stream, and when streams end.
@Suite struct PassedStreamTableTests {
    private typealias Key = PassedStreamTable.Key

    private static func endpoint(_ host: String, _ port: Int = 0) throws -> MediaEndpoint {
        try #require(MediaEndpoint(host: host, port: port))
    }

    private static func key(_ sender: String, _ port: Int, to screen: String, _ destination: Int) throws -> Key {
        Key(sender: try self.endpoint(sender, port), destination: try self.endpoint(screen, destination))
    }

    private static func pair(_ sender: String, _ screen: String) throws -> PassedStreamTable.Pair {
        PassedStreamTable.Pair(sender: try self.endpoint(sender), screen: try self.endpoint(screen))
    }

    private static let (phone, other, screen) = ("10.20.12.7", "10.20.12.8", "10.20.12.1")

    /// A table in which the phone has a splice to room-12.
    private static func table(_ limits: PassedStreamTable.Limits = .init()) throws -> PassedStreamTable {
        var table = PassedStreamTable(limits: limits)
        table.admit(
            ConnectionID(rawValue: 1), try self.pair(self.phone, self.screen), to: "room-12",
            at: try self.endpoint("10.77.0.2", 8009))
        return table
    }

    @Test func aSenderWithASpliceBeginsAStreamAtThePortThatItSendsTo() throws {
        var table = try Self.table()
        let key = try Self.key(Self.phone, 50_000, to: Self.screen, 40_000)
        let verdict = table.judge(key)
        #expect(
            verdict
                == .opens(
                    .init(
                        device: "room-12", connection: ConnectionID(rawValue: 1),
                        target: try Self.endpoint("10.77.0.2", 40_000))))
        #expect(table.has(key) && table.count == 1)
    }

    @Test func whoHasNoSpliceThereIsDropped() throws {
        var table = try Self.table()
        for key in [
            try Self.key(Self.other, 50_000, to: Self.screen, 40_000),
            try Self.key(Self.phone, 50_000, to: "10.20.13.1", 40_000),
        ] {
            let verdict = table.judge(key)
            #expect(verdict == .drops(.foreignAddress, device: nil, isNew: false))
        }
        #expect(table.count == 0)
    }

    @Test(arguments: [1, 53, 1023]) func portsOfServicesAreNoStreams(port: Int) throws {
        var table = try Self.table()
        let verdict = table.judge(try Self.key(Self.phone, 50_000, to: Self.screen, port))
        #expect(verdict == .drops(.foreignPort, device: "room-12", isNew: false))
        for port in [1024, 65_535] {
            let verdict = table.judge(try Self.key(Self.phone, 50_000, to: Self.screen, port))
            guard case .opens = verdict else {
                Issue.record("\(port): \(verdict)")
                continue
            }
        }
    }

    @Test func oneAddressHasSoManyStreamsAndIsToldOnce() throws {
        var table = try Self.table(.init(perSender: 2, perDevice: 9, total: 9))
        let keys = try (0..<4).map { try Self.key(Self.phone, 50_000 + $0, to: Self.screen, 40_000) }
        let verdicts = keys.map { table.judge($0) }
        guard case .opens = verdicts[0], case .opens = verdicts[1] else {
            Issue.record("\(verdicts)")
            return
        }
        #expect(verdicts[2] == .drops(.tooMany, device: "room-12", isNew: true))
        #expect(verdicts[3] == .drops(.tooMany, device: "room-12", isNew: false))
        table.ended(keys[0])
        table.ended(keys[0])
        #expect(table.count == 1)
        let again = table.judge(keys[2])
        guard case .opens = again else {
            Issue.record("\(again)")
            return
        }
    }

    @Test func aDeviceAndTheGatewayHaveBoundsToo() throws {
        for limits in [
            PassedStreamTable.Limits(perSender: 9, perDevice: 1, total: 9),
            PassedStreamTable.Limits(perSender: 9, perDevice: 9, total: 1),
        ] {
            var table = try Self.table(limits)
            table.admit(
                ConnectionID(rawValue: 2), try Self.pair(Self.other, Self.screen), to: "room-12",
                at: try Self.endpoint("10.77.0.2"))
            _ = table.judge(try Self.key(Self.phone, 50_000, to: Self.screen, 40_000))
            let second = table.judge(try Self.key(Self.other, 50_000, to: Self.screen, 40_000))
            #expect(second == .drops(.tooMany, device: "room-12", isNew: true))
            // What the first one leaves is free for the second.
            let ended = table.dismiss(ConnectionID(rawValue: 1))
            #expect(ended.count == 1 && table.count == 0)
            let third = table.judge(try Self.key(Self.other, 50_000, to: Self.screen, 40_000))
            guard case .opens = third else {
                Issue.record("\(third)")
                continue
            }
        }
    }

    @Test func streamsEndWithTheSendersLastSplice() throws {
        var table = try Self.table()
        let pair = try Self.pair(Self.phone, Self.screen)
        table.admit(ConnectionID(rawValue: 2), pair, to: "room-12", at: try Self.endpoint("10.77.0.3"))
        let key = try Self.key(Self.phone, 50_000, to: Self.screen, 40_000)
        let verdict = table.judge(key)
        // The newest splice shows where the device is now.
        #expect(
            verdict
                == .opens(
                    .init(
                        device: "room-12", connection: ConnectionID(rawValue: 1),
                        target: try Self.endpoint("10.77.0.3", 40_000))))
        let first = table.dismiss(ConnectionID(rawValue: 1))
        #expect(first.isEmpty && table.has(key))
        let last = table.dismiss(ConnectionID(rawValue: 2))
        #expect(last == [key] && !table.has(key) && table.count == 0)
        let twice = table.dismiss(ConnectionID(rawValue: 2))
        #expect(twice.isEmpty)
        let later = table.judge(key)
        #expect(later == .drops(.foreignAddress, device: nil, isNew: false))
    }
}
