package import CastWire
import ControlAPI
import FeatureContract
import GatewayConfig
package import GatewayOperations

/// `token.create`
struct CreateToken: GatewayOperation {
    static let name: OperationName = "token.create"
    static let route = OperationRoute(.post, "/tokens")
    static let scope = OperationScope.admin
    static let isAnswerKept = false
    static let reach = OperationReach.gateway
    static let summary = "Makes a token for the API"
    static let details =
        "The token is answered once and kept nowhere: the gateway knows its hash, and takes no idempotency key. A caller cannot give more than "
        + "it may do itself."
    static let result = NewTokenResult.result("The token", status: 201)
    static let problems = [
        TokenResult.notKept, OperationProblemCase("too_many_tokens", 409, "there are a thousand tokens"),
    ]

    struct Input: OperationInput {
        var name = ""
        var scopes: [OperationScope] = [.read]
        var devices: [String]?
        var lifetime: Int?

        static let keys: [Key] = [
            .required(
                "name", \.name, .text(allowed: "a-zA-Z0-9._-", length: 1...64),
                "What its holder is called in logs and lists; need not be unique", example: "wall-panel"),
            Key(
                "scopes", \.scopes, .list(of: .word), "What its holder may do",
                example: "[\"read\", \"control\"]"),
            .optional(
                "devices", \.devices, .list(of: .text(maximumBytes: 64)),
                "The devices that its holder may see and use, with `*` for any number of characters; all without it",
                example: "[\"hall\", \"room-1*\"]"),
            .optional(
                "lifetime", \.lifetime, .integer(60...315_360_000),
                "For how long it is taken, in seconds; for ever without it", example: "2592000"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let inputRules: JSONObject = [
        "properties": [
            "devices": ["items": ["pattern": .string(DevicePattern.expression)]], "scopes": ["minItems": 1],
        ]
    ]

    /// Knows the tokens.
    let authority: TokenAuthority

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard !APITokenConfiguration.reservedNames.contains(input.name.lowercased()) else {
            throw Self.invalid("'\(input.name)' is what callers without a token are called")
        }
        guard !input.scopes.isEmpty else { throw Self.invalid("without a scope a token is of no use") }
        if let missing = input.scopes.first(where: { !caller.scopes.contains($0) }) {
            throw OperationProblem(
                "scope_missing", status: 403, "the caller has no scope '\(missing.rawValue)', so it cannot give it")
        }
        for device in input.devices ?? [] {
            if let message = DevicePattern.obstacle(in: device) {
                throw Self.invalid("a pattern of devices \(message)")
            }
        }
        let devices = input.devices?.map { DevicePattern($0) }
        if let own = caller.devices, !Set(devices ?? [DevicePattern("*")]).isSubset(of: own) {
            throw OperationProblem("device_not_allowed", status: 403, "the caller may not use those devices itself")
        }
        let made = try await BlockingWork.run {
            () throws(OperationProblem) in
            try self.authority.create(
                name: input.name, scopes: Set(input.scopes), devices: devices, lifetime: input.lifetime)
        }
        return NewTokenResult.json(made)
    }

    private static func invalid(_ detail: String) -> OperationProblem {
        OperationProblem("invalid_input", status: 422, detail)
    }
}

/// `tokens.list`
struct ListTokens: GatewayOperation {
    static let name: OperationName = "tokens.list"
    static let route = OperationRoute(.get, "/tokens")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Lists the tokens for the API"
    static let result = TokenListResult.result("The tokens, without what their holders show")

    /// Knows the tokens.
    let authority: TokenAuthority

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        TokenListResult.json(self.authority)
    }
}

/// `token.revoke`
struct RevokeToken: GatewayOperation {
    static let name: OperationName = "token.revoke"
    static let route = OperationRoute(.delete, "/tokens/{id}")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Revokes a token for the API, and ends the connections of its holder"
    static let result = RevokedTokenResult.result("The token that was")
    static let problems = [
        OperationProblemCase("unknown_token", 404, "there is no token of that id or name"),
        OperationProblemCase("ambiguous_token", 409, "several tokens have the name; give an id"),
        OperationProblemCase("configured_token", 409, "the token is one of `api.tokens`; remove it there"),
        TokenResult.notKept,
    ]

    struct Input: OperationInput {
        var id = ""

        static let keys: [Key] = [
            .required(
                "id", \.id, .text(maximumBytes: 128), "Its id, or its name when no other has it",
                example: "t-4kq7h2mzp9")
        ]

        init(blank: ConfigBlank) {}
    }

    /// Knows the tokens.
    let authority: TokenAuthority

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let token = try await BlockingWork.run { () throws(OperationProblem) in
            try self.authority.revoke(input.id)
        }
        return RevokedTokenResult.json((.init(token: token, used: nil, isOver: false), self.authority))
    }
}

/// A token, without what its holder shows.
package struct TokenResult: ResultRecord {
    package typealias Source = TokenAuthority.Listed

    package let id = Field("id", "By which it is revoked") { $0.token.id }
    package let name = Field("name", "What its holder is called") { $0.token.name }
    package let scopes = Field(
        "scopes", "What its holder may do", as: .list(.word(OperationScope.allCases.map(\.rawValue)))
    ) { listed in
        OperationScope.allCases.filter(listed.token.scopes.contains).map(\.rawValue)
    }
    package let devices = Field.optional("devices", "The devices that its holder may see and use; all when missing") {
        $0.token.devices?.map(\.text)
    }
    package let origin = Field(
        "origin", "Whether a caller made it, or `api.tokens` has it", as: .word(["created", "configured"])
    ) {
        $0.token.isConfigured ? "configured" : "created"
    }
    package let isExpired = Field("expired", "Whether its time is over") { $0.isOver }
    package let created = Field.optional("created", "When it was made, in UTC") { $0.token.created?.description }
    package let expires = Field.optional("expires", "When it ends, in UTC") { $0.token.expires?.description }
    package let used = Field.optional("used", "When it was used last, to the hour, in UTC; missing when it never was") {
        $0.used?.description
    }

    package static let layout = ResultLayout(TokenResult())

    static let notKept = OperationProblemCase("not_kept", 409, "the state cannot be written, so nothing has changed")
}

/// The tokens, and whether there is none.
package struct TokenListResult: ResultRecord {
    package typealias Source = TokenAuthority

    package let tokens = Field("tokens", listOf: TokenResult.self, "In the order of their names") { $0.list }
    package let isOpenToLoopback = Field(
        "open_to_loopback",
        "Whether callers of the gateway's machine may read and control without a token, since there is none"
    ) { $0.isOpenToLoopback }

    package static let layout = ResultLayout(TokenListResult())
}

/// A token with what its holder shows.
package struct NewTokenResult: ResultRecord {
    package typealias Source = TokenAuthority.Made

    package let text = Field("token", "What its holder shows: `Authorization: Bearer TOKEN`") { $0.text }
    package let token = Embedded(TokenResult.self) {
        TokenAuthority.Listed(token: $0.token, used: nil, isOver: false)
    }

    package static let layout = ResultLayout(NewTokenResult())
}

/// A token that was revoked.
package struct RevokedTokenResult: ResultRecord {
    package typealias Source = (token: TokenAuthority.Listed, authority: TokenAuthority)

    package let token = Embedded(TokenResult.self) { $0.token }
    package let isKept = Field("kept", "Whether that holds after a restart, since the state can be written") {
        $0.authority.isKept
    }
    package let isOpenToLoopback = Field(TokenListResult.fields.isOpenToLoopback) { $0.authority }

    package static let layout = ResultLayout(RevokedTokenResult())
}
