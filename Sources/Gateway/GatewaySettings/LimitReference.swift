import CastTransport
import ControlAPI
import GatewayConfig
import GatewayJournal
import HTTPServing
import VirtualDevices

/// The page with what peers can make the gateway keep, made from what is declared.
package enum LimitReference {
    /// `MemoryMax` of the unit.
    package static let unitMemory = 512 << 20

    /// `Docs/limits.md`.
    package static func document() -> String {
        let budget = PeerBudget(halfOf: self.unitMemory)
        let journal = JournalLimits()
        return """
            # Limits of memory

            Whatever connects to the gateway makes it keep something: a connection and its TLS, half a request, events that are not read. All of
            this is charged to one budget of bytes, so that no peer, and not all of them together, can use up the memory of the gateway.
            [hostile-peers.md](hostile-peers.md) has the limits of numbers, rates and times that hold beside it.

            This page is made from the declarations in the source (`castway config reference --limits`).

            ## The budget

            The budget is half of the memory that the gateway may use: the limit of its control group (`MemoryMax` of the unit,
            `--memory` of a container), or the memory of the machine where there is none; 4 GiB at most. It is read at the start. To let more peers in, raise
            `MemoryMax`.

            Each part has a share that the other parts cannot use, so Cast senders are served while every other listener is flooded. With
            the \(self.size(self.unitMemory)) of the unit the budget is \(self.size(budget.bytes)):

            | part | share | one address at most | connections at most | what gives way first |
            |---|---|---|---|---|
            \(PeerBudget.Part.allCases.map { self.row(of: $0, in: budget) }.joined(separator: "\n"))

            Two more things are kept for peers, each in bounds of its own: \(self.size(journal.history)) of events for readers that come back
            (`api.events.history`), and \(self.size(journal.backlog)) of events that wait to be numbered. Plugins have limits of their own
            ([plugins.md](plugins.md)).

            ## What is charged

            | what | bytes | until |
            |---|---|---|
            \(self.costs.map { "| \($0.what) | \($0.bytes) | \($0.until) |" }.joined(separator: "\n"))

            When there is no room, in this order:

            1. A connection of the same listener is closed that is unfinished: no finished TLS handshake of a Cast sender, no complete
               request, no caller that is known where callers have tokens, or idle between two requests. The address that has the most of
               them loses its oldest. The only one of an address is left alone for two seconds, so that a flood does not end the handshakes of
               others.
            2. An address loses one of its connections to an address that has less than half as many.
            3. Otherwise the new connection is refused, a request is answered with 503 `overloaded`, a CONNECT with CLOSE, and a peer
               that does not read is disconnected.

            A connection that gives way is closed at once, without a farewell of TLS.

            """
    }

    private static var costs: [(what: String, bytes: String, until: String)] {
        [
            ("a connection of a Cast sender", self.size(PeerCost.sender), "its end"),
            ("a connection that is passed through to a device", self.size(PeerCost.passedSender), "its end"),
            ("an HTTP connection, a WebSocket, an event stream", self.size(PeerCost.plainHTTP), "its end"),
            ("the same with TLS", self.size(PeerCost.secureHTTP), "its end"),
            (
                "a request or a message of a WebSocket",
                "\(PeerCost.perRequestByte) for each byte beyond \(self.size(PeerCost.freeRequestBytes))",
                "the end of its answer"
            ),
            (
                "a virtual connection",
                "\(self.size(PeerCost.virtualConnection)), and \(PeerCost.perConnectByte) for each byte of its CONNECT and ids",
                "its end"
            ),
            ("what waits for a peer that does not read", "its bytes", "the peer has read"),
            (
                "events that wait for a reader",
                "their bytes, \(self.size(JournalLimits().clientBudget)) for one reader (`api.events.client_budget`)",
                "the reader has taken them"
            ),
        ]
    }

    private static func row(of part: PeerBudget.Part, in budget: PeerBudget) -> String {
        let share = self.size(budget.share(of: part))
        let address = part.addressDivisor == 1 ? "all of it" : self.size(budget.addressShare(of: part))
        return
            "| \(self.name(of: part)) | \(share) | \(address) | \(self.connections(of: part)) | \(self.victim(of: part)) |"
    }

    private static func name(of part: PeerBudget.Part) -> String {
        switch part {
        case .senders: "Cast senders"
        case .api: "API"
        case .events: "events that wait for readers, on all listeners"
        case .setup: "set-up services"
        case .guests: "join page"
        case .admin: "admin listener"
        case .metrics: "metrics listener"
        }
    }

    private static func connections(of part: PeerBudget.Part) -> String {
        switch part {
        case .senders: "\(SenderLimits().connections.total) (`connections.senders.max_total`)"
        case .api: "\(APILimits().clients) (`api.limits.clients`)"
        case .events: "–"
        case .setup: "\(SetupLimits().connections.total) (`connections.setup.max_total`)"
        case .guests: "\(JoinPageSettings.maximumConnections)"
        case .admin: "\(AdminConfiguration().maxConnections) (`admin.max_connections`)"
        case .metrics: "\(MetricsConfiguration.maximumConnections)"
        }
    }

    private static func victim(of part: PeerBudget.Part) -> String {
        switch part {
        case .senders: "unfinished TLS handshakes"
        case .api: "connections of callers that are not known"
        case .events: "the reader for which most waits: its feed ends with `too_slow`"
        case .setup, .guests, .admin, .metrics: "connections without a complete request"
        }
    }

    private static func size(_ bytes: Int) -> String {
        bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : bytes % 1024 == 0 ? "\(bytes >> 10) KiB" : "\(bytes)"
    }
}
