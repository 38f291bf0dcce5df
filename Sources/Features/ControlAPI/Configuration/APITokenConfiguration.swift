import CastWire
package import GatewayConfig
package import GatewayOperations

/// `api.tokens[]`: a token that the file knows.
package struct APITokenConfiguration: ConfigObject, Hashable {
    /// The fewest characters of a token: 128 bits in hexadecimal digits.
    package static let minimumLength = 32

    /// What the caller is called in logs.
    package var name = ""
    /// The token; nil when only its hash is known.
    package var token: Secret?
    /// The SHA-256 of the token in lower-case hexadecimal digits; nil when the token itself is known.
    package var hash: String?
    /// What callers may do who show it.
    package var scopes: [OperationScope] = [.read]
    /// The devices that they may see and use; nil for all.
    package var devices: [String]?
    /// When it ends; nil for never.
    package var expires: UTCTime?

    /// The keys of `api.tokens[]`.
    package static let keys: [Key] = [
        .required(
            "name", \.name, .text(allowed: "a-zA-Z0-9._-", length: 1...64), "What the caller is called in logs",
            example: "ci"),
        .optional(
            "token", \.token, .secret,
            "The token that the caller shows, at least \(minimumLength) letters, digits and `-._~+/=`: `openssl rand -hex 32` makes one",
            example: "${CREDENTIALS_DIRECTORY}/castway_ci"),
        .optional(
            "sha256", \.hash, .text(allowed: "0-9a-f", length: 64...64),
            "Instead of the token its SHA-256: `printf %s \"$TOKEN\" | sha256sum`"),
        Key(
            "scopes", \.scopes, .list(of: .word),
            "What callers may do who show it: `read` what there is, `control` devices, send and read `messages` of apps, set `credentials`, "
                + "change the gateway (`admin`)", example: "[read, control]"),
        .optional(
            "devices", \.devices, .list(of: .text(maximumBytes: 64)).namingGroups(.names),
            "The devices that they may see and use, with `*` for any number of characters; all without it",
            example: "[hall, \"room-1*\"]"),
        .optional(
            "expires", \.expires, .time,
            "When the token ends: a day, at whose beginning in UTC it does, or a time in UTC",
            example: "2027-01-01"),
    ]

    /// What holds before anything is read.
    package init(blank: ConfigBlank) {}

    /// A token, for tests and programs.
    /// - Parameter change: sets what is not as in `gateway.yaml`.
    package init(name: String, token: Secret?, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        self.token = token
        change(&self)
    }

    /// The names that callers have who show no token.
    package static let reservedNames: Set<String> = ["admin", "loopback", "nobody"]

    /// Equal in all that `gateway.yaml` says.
    package func hash(into hasher: inout Hasher) { hasher.combine(self.name) }

    // MARK: Checks

    /// Adds what is wrong with one token: none or two of it, one that can be guessed, and devices that cannot be meant.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        if section.isValid("name"), Self.reservedNames.contains(section.string("name").lowercased()) {
            problems.add(
                .notAllowed, at: section.location("name"),
                "'\(section.string("name"))' is what callers without a token are called",
                hint: "give the token another name")
        }
        self.checkToken(section, problems: &problems)
        if section.isValid("expires"), UTCTime(text: section.string("expires")) == nil {
            problems.add(
                .malformedValue, at: section.location("expires"),
                "'\(section.path("expires"))' must be a day or a time in UTC, not '\(section.string("expires"))'",
                hint: "2027-01-01, or 2027-01-01T12:00:00Z")
        }
        if section.isValid("scopes"), section.list("scopes").isEmpty {
            problems.add(
                .noValue, at: section.location("scopes"),
                "'\(section.path("scopes"))' is empty, so the token is of no use",
                hint: "leave it out for read, or list some: [read, control]")
        }
        for element in section.list("devices") {
            guard let text = element.string, let message = DevicePattern.obstacle(in: text) else { continue }
            problems.add(.malformedValue, at: element.location, "'\(section.path("devices"))' \(message)")
        }
    }

    private static func checkToken(_ section: ConfigSection, problems: inout ConfigProblems) {
        let hasHash = section.has("sha256")
        guard section.has("token") != hasHash else {
            problems.add(
                hasHash ? .inconsistent : .missingKey, at: section.location(hasHash ? "sha256" : "name"),
                hasHash
                    ? "a token is given by itself and by its SHA-256"
                    : "'\(section.path("token"))' or 'sha256' is missing",
                hint: hasHash ? "keep one of them" : "token_file: PATH keeps the token out of this file")
            return
        }
        guard section.isValid("token"), let token = section.optionalSecret("token")?.reveal() else { return }
        let advice = "openssl rand -hex 32 makes a good one; 'castway token create' keeps it out of files"
        if token.utf8.count < Self.minimumLength {
            problems.add(
                .weakToken, at: section.location("token"),
                "'\(section.path("token"))' has \(token.utf8.count) characters, and must have at least \(Self.minimumLength)",
                hint: advice)
        } else if BearerToken(token) == nil {
            problems.add(
                .malformedValue, at: section.location("token"),
                "'\(section.path("token"))' must consist of letters, digits and -._~+/=, at most \(BearerToken.maximumLength)",
                hint: advice)
        } else if Set(token.utf8).count < 8 {
            problems.add(
                .weakToken, at: section.location("token"),
                "'\(section.path("token"))' consists of the same few characters",
                hint: advice)
        }
    }

    /// Adds tokens that have ended.
    /// - Parameter now: seconds since 1970.
    package static func checkTimes(_ api: ConfigSection, now: Int64, problems: inout ConfigProblems) {
        for section in api.sections("tokens") where section.isValid("expires") {
            guard let time = section.optionalString("expires").flatMap(UTCTime.init(text:)), time.seconds <= now else {
                continue
            }
            problems.add(
                .expiredToken, at: section.location("expires"),
                "the token '\(section.string("name"))' ended at \(time), so nothing is done for callers who show it",
                hint: "remove it, or give it another time", severity: .warning)
        }
    }
}
