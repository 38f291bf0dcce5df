/// Asks servers for the heads of their answers, for parts of the gateway that tell what a device would get.
///
/// What it connects to is judged by the address rules of all outgoing requests: link-local and metadata addresses never, private ones only when
/// the question says so.
package protocol HTTPProbing: Sendable {
    /// Asks one server by GET, follows redirects, and reads no body.
    /// - Returns: the head of the answer, whatever its status; a failure within the question's time otherwise.
    func probe(_ question: HTTPProbeQuestion) async -> Result<HTTPProbeAnswer, HTTPProbeFailure>
}

/// What a server is asked.
package struct HTTPProbeQuestion: Sendable {
    /// Where: `http://…` or `https://…`.
    package var url: String
    /// What is sent beside `host` and `user-agent`.
    package var headers: [(name: String, value: String)]
    /// Whether private addresses and those of this machine may be connected to.
    package var allowsPrivate: Bool
    /// How long everything together may take: look-ups, connections, redirects, the answer.
    package var time: Duration
    /// How many redirects are followed.
    package var redirects: Int

    package init(
        _ url: String, headers: [(name: String, value: String)] = [], allowsPrivate: Bool,
        time: Duration = .seconds(5), redirects: Int = 3
    ) {
        self.url = url
        self.headers = headers
        self.allowsPrivate = allowsPrivate
        self.time = time
        self.redirects = redirects
    }
}

/// What a server answered.
package struct HTTPProbeAnswer: Sendable {
    package var status: Int
    private let headers: [(name: String, value: String)]

    package init(status: Int, headers: [(name: String, value: String)]) {
        self.status = status
        self.headers = headers
    }

    /// The first header of a name, in whatever case; nil without one.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return self.headers.first { $0.name.lowercased() == name }?.value
    }
}

/// Why a server did not answer.
package struct HTTPProbeFailure: Error, Hashable, Sendable {
    /// What kind of failure it is, in a word that never changes.
    package enum Kind: String, Sendable, CaseIterable {
        /// The URL cannot be read.
        case malformed = "malformed_url"
        /// The name leads to an address that the gateway does not connect to.
        case refusedAddress = "refused_address"
        /// The name is not found, no connection could be made, or it ended without an answer.
        case unreachable
        /// It took too long.
        case timeout
        /// It leads through too many redirects, or to a place that is no URL.
        case redirect
    }

    /// What kind of failure it is.
    package var kind: Kind
    /// What happened, in a few words; holds neither path nor query.
    package var text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
