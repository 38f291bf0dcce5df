import HTTPFetching

/// What is not as a receiver needs it at one address.
package struct MediaFinding: Sendable, Hashable {
    /// The kinds, by the words that callers compare.
    package enum Kind: String, Sendable, CaseIterable {
        case malformedURL = "malformed_url"
        case refusedAddress = "refused_address"
        case unreachable
        case timeout
        case redirect
        case status = "http_status"
        case noCORS = "no_cors"
        case wrongType = "wrong_type"
        case noRanges = "no_ranges"
    }

    let kind: Kind
    /// Whether it plays, or shows, nothing because of it; otherwise it may.
    let isError: Bool
    /// What it is, in a sentence without a full stop.
    let text: String

    init(_ kind: Kind, isError: Bool = true, _ text: String) {
        self.kind = kind
        self.isError = isError
        self.text = text
    }
}

/// What came of asking one address.
package struct MediaSourceReport: Sendable {
    /// The page that the receiver is of: servers are asked as it asks them.
    static let origin = "https://www.gstatic.com"

    /// What is asked of every server.
    static let headers: [(name: String, value: String)] = [
        ("origin", Self.origin), ("range", "bytes=0-0"), ("accept", "*/*"), ("accept-encoding", "identity"),
    ]

    /// What the server says about pages of other origins.
    package enum CrossOrigin: String, Sendable, CaseIterable {
        /// Pages of every origin may read it.
        case any
        /// The receiver's page may.
        case receiver
        /// The header names another origin.
        case other
        /// There is no header.
        case missing
    }

    /// What is fetched.
    let source: MediaSource
    /// The status; nil without an answer.
    private(set) var status: Int?
    /// What the server says that it is; nil when it says nothing.
    private(set) var type: String?
    /// See ``CrossOrigin``; nil without an answer.
    private(set) var crossOrigin: CrossOrigin?
    /// Whether parts can be asked for; nil without an answer.
    private(set) var givesRanges: Bool?
    /// What is wrong.
    private(set) var findings: [MediaFinding] = []

    private static let longestType = 100
    private static let playlists = ["mpegurl", "dash+xml"]

    /// Judges what a server answered.
    init(_ source: MediaSource, _ result: Result<HTTPProbeAnswer, HTTPProbeFailure>) {
        self.source = source
        switch result {
        case .failure(let failure): self.findings = [MediaFinding(Self.kind(failure.kind), failure.text)]
        case .success(let answer):
            self.status = answer.status
            guard (200...299).contains(answer.status) else {
                self.findings = [MediaFinding(.status, "the server answers with the status \(answer.status)")]
                return
            }
            self.type = answer.header("content-type").map(Self.bareType)
            self.crossOrigin = Self.crossOrigin(answer.header("access-control-allow-origin"))
            self.givesRanges =
                answer.status == 206 || answer.header("accept-ranges")?.lowercased().contains("bytes") == true
            self.judge()
        }
    }

    private static func kind(_ kind: HTTPProbeFailure.Kind) -> MediaFinding.Kind {
        switch kind {
        case .malformed: .malformedURL
        case .refusedAddress: .refusedAddress
        case .unreachable: .unreachable
        case .timeout: .timeout
        case .redirect: .redirect
        }
    }

    private static func bareType(_ header: String) -> String {
        let type = header.prefix { $0 != ";" && $0 != " " && $0 != "," }
        return String(type.prefix(Self.longestType)).lowercased()
    }

    private static func crossOrigin(_ header: String?) -> CrossOrigin {
        switch header {
        case "*"?: .any
        case Self.origin?: .receiver
        case nil: .missing
        default: .other
        }
    }

    /// Whether the address is that of a playlist, whose parts a page fetches by itself.
    private var isPlaylist: Bool {
        let types = [self.type, self.source.type?.lowercased()].compactMap { $0 }
        let path = self.source.url.prefix { $0 != "?" && $0 != "#" }.lowercased()
        return types.contains { type in Self.playlists.contains { type.contains($0) } }
            || path.hasSuffix(".m3u8") || path.hasSuffix(".mpd")
    }

    private mutating func judge() {
        let isPlaylist = self.source.role != .track && self.isPlaylist
        if self.source.role == .track || isPlaylist, ![.any, .receiver].contains(self.crossOrigin) {
            let what = self.crossOrigin == .other ? "for another page" : "missing"
            let part = isPlaylist ? "the playlist and its parts" : "the text"
            self.findings.append(
                MediaFinding(
                    .noCORS, "Access-Control-Allow-Origin is \(what), so that the receiver cannot read \(part)"))
        }
        if let finding = self.typeFinding(isPlaylist: isPlaylist) { self.findings.append(finding) }
        if [.media, .clip].contains(self.source.role), !isPlaylist, self.givesRanges == false {
            self.findings.append(
                MediaFinding(.noRanges, isError: false, "the server gives no parts of it, so that seeking may fail"))
        }
    }

    private func typeFinding(isPlaylist: Bool) -> MediaFinding? {
        guard let type = self.type, !type.isEmpty else {
            return MediaFinding(
                .wrongType, isError: self.source.role == .track, "the server does not say what it is (Content-Type)")
        }
        let wanted = self.source.type.map(Self.bareType)
        switch self.source.role {
        case .track:
            return type == wanted
                ? nil : MediaFinding(.wrongType, "the server says \(type), and the track \(wanted ?? "nothing")")
        case .picture:
            return type.hasPrefix("image/")
                ? nil : MediaFinding(.wrongType, "the server says \(type), which is no picture")
        case .media, .clip:
            // Text that is no playlist is a page, mostly one that says what went wrong.
            if type == "text/html" { return MediaFinding(.wrongType, "the server sends a page, \(type)") }
            // Playlists have many names.
            guard let wanted, wanted != type, !isPlaylist else { return nil }
            return MediaFinding(.wrongType, isError: false, "the server says \(type), and the load \(wanted)")
        }
    }

    /// Whether it plays, or shows, as far as the server can tell.
    var isFine: Bool { !self.findings.contains(where: \.isError) }
}
