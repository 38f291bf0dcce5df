/// Divides the bytes that peers may make the gateway keep over what they reach: each part has its share, and none can take another's.
package struct PeerBudget: Sendable, Hashable {
    /// What has a share of the budget.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        /// Cast senders, those that are passed through too.
        case senders
        case api
        /// The queues of all readers of events.
        case events
        /// The set-up services.
        case setup
        /// The join page.
        case guests
        /// The admin listener.
        case admin
        /// The metrics listener.
        case metrics

        /// How many of 32 equal shares it has.
        package var weight: Int {
            switch self {
            case .senders: 13
            case .api: 7
            case .events: 4
            case .setup: 3
            case .guests, .admin: 2
            case .metrics: 1
            }
        }

        /// One address may have this fraction of the share: one in so many. 1 where a proxy may stand before all callers, or only
        /// this machine calls.
        package var addressDivisor: Int {
            switch self {
            case .senders: 8
            case .setup, .guests: 4
            case .api, .events, .admin, .metrics: 1
            }
        }
    }

    private static let weights = 32
    /// The least that is divided: with less no listener serves anyone.
    package static let minimum = 16 << 20
    /// The most that is divided unless a configuration says more.
    private static let most = 4 << 30

    /// All together, in bytes.
    package let bytes: Int

    /// - Parameter bytes: how many bytes are divided, at least ``minimum``.
    package init(bytes: Int) {
        self.bytes = max(bytes, Self.minimum)
    }

    /// Half of the memory that the process may use, 4 GiB at most: the other half is the gateway's own, and what is not counted.
    /// - Parameter memory: what the process may use, in bytes.
    package init(halfOf memory: Int) {
        self.init(bytes: min(memory / 2, Self.most))
    }

    /// How many bytes a part may make the gateway keep.
    package func share(of part: Part) -> Int { self.bytes / Self.weights * part.weight }

    /// How many of them one address may.
    package func addressShare(of part: Part) -> Int { self.share(of: part) / part.addressDivisor }
}

/// Declares how many bytes of the budget things cost that peers make the gateway keep. Measured, and rounded up.
package enum PeerCost {
    /// A Cast connection: TLS, what it reads into, and what may wait unsent before that is counted.
    package static let sender = 96 << 10
    /// A sender that is passed through: two sockets, and what waits between them.
    package static let passedSender = 96 << 10
    /// An HTTP connection.
    package static let plainHTTP = 24 << 10
    /// An HTTP connection with TLS.
    package static let secureHTTP = 72 << 10
    /// What the system may hold unsent for a Cast sender; it counts twice as much, and would hold up to 4 MiB otherwise.
    package static let senderSocketBuffer = 128 << 10
    /// What the system may hold unsent for an HTTP connection, and unread from it.
    package static let httpSocketBuffer = 64 << 10
    /// So many bytes of a request are part of its connection's own cost.
    package static let freeRequestBytes = 2 << 10
    /// What is kept for each further byte of a request, from its first to the end of its answer: the bytes, and what they are read as.
    package static let perRequestByte = 3
    /// A virtual connection, beside its ids and its CONNECT.
    package static let virtualConnection = 1 << 10
    /// What is kept for each byte of the ids and the CONNECT of a virtual connection: here, and towards the device or app.
    package static let perConnectByte = 2

    /// The most that a connection of a kind costs when it comes.
    static func connection(of kind: ListenerKind) -> Int {
        switch kind {
        case .senders: self.sender
        case .setup, .admin, .api, .metrics, .guests: self.secureHTTP
        }
    }

    /// An HTTP connection.
    package static func http(isSecure: Bool) -> Int { isSecure ? self.secureHTTP : self.plainHTTP }
}

extension ListenerKind {
    package var part: PeerBudget.Part {
        switch self {
        case .senders: .senders
        case .setup: .setup
        case .admin: .admin
        case .api: .api
        case .metrics: .metrics
        case .guests: .guests
        }
    }
}
