import CastwayTestSupport
import GatewayConfig
import HTTPFetching
import NIOCore
import NIOPosix
import Synchronization

@testable import MessageBridges

/// A carrier to a back end, with a name, a clock and addresses that a test sets.
final class WebhookBench: Sendable {
    static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    /// 2026-01-01
    static let seconds: Int64 = 1_767_225_600

    private struct Network {
        var addresses: [IPAddress]?
        var now = NIODeadline.now()
        var lookUps = 0
        var wasOnLoop = false
    }

    let carrier: WebhookCarrier
    private let network: Record

    private final class Record: Sendable {
        let state: Mutex<Network>
        init(_ addresses: [IPAddress]?) { self.state = Mutex(Network(addresses: addresses)) }
    }

    init(
        _ url: String, addresses: [String] = ["127.0.0.1"], timeout: Duration = .seconds(20),
        _ change: (inout WebhookConfiguration) -> Void = { _ in }
    ) throws {
        let network = Record(addresses.compactMap { IPAddress($0) })
        var surroundings = WebhookClient.Surroundings()
        surroundings.resolver = HostResolver { host throws(HostResolver.NotFound) in
            let addresses = network.state.withLock { network in
                network.lookUps += 1
                if MultiThreadedEventLoopGroup.currentEventLoop != nil { network.wasOnLoop = true }
                return network.addresses
            }
            guard let addresses else { throw HostResolver.NotFound(description: "no such name") }
            return addresses
        }
        surroundings.now = { network.state.withLock { $0.now } }
        surroundings.seconds = { Self.seconds }
        var webhook = WebhookConfiguration(name: "backend", url: url, secret: Secret(Self.secret))
        webhook.allowsPrivate = true
        webhook.timeout = timeout
        change(&webhook)
        self.network = network
        self.carrier = try WebhookCarrier(
            webhook, version: "1.2.3", group: MultiThreadedEventLoopGroup.singleton, surroundings: surroundings)
    }

    deinit { self.carrier.close() }

    /// What the name resolves to from now on; nil for nothing.
    func resolve(to addresses: [String]?) {
        self.network.state.withLock { $0.addresses = addresses?.compactMap { IPAddress($0) } }
    }

    /// Lets time go by.
    func advance(by time: TimeAmount) { self.network.state.withLock { $0.now = $0.now + time } }

    var lookUps: Int { self.network.state.withLock { $0.lookUps } }
    var lookedUpOnLoop: Bool { self.network.state.withLock { $0.wasOnLoop } }

    static func message(_ sequence: Int64 = 1, body: String = #"{"type":"x"}"#) -> OutboxMessage {
        OutboxMessage(
            sequence: sequence, id: "msg_\(sequence)", destination: "webhook:backend", device: "hall",
            type: "channel.message", takenAt: 0, address: nil, body: ByteBuffer(string: body), attempts: 0)
    }

    /// Carries a message to its end.
    func carry(_ message: OutboxMessage = WebhookBench.message()) async -> DeliveryOutcome {
        await withCheckedContinuation { continuation in
            self.carrier.carry(message) { continuation.resume(returning: $0) }
        }
    }
}

extension DeliveryOutcome {
    /// Why it was not delivered.
    var reason: String {
        switch self {
        case .delivered: ""
        case .refused(let text), .unavailable(let text, _), .gone(let text), .absent(let text): text
        }
    }
}
