import CastWire
import ControlAPI
import GatewayConfig
import GatewayOperations

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
    static let result = OperationResult(
        "The token", status: 201,
        [.init("token", .text, "What its holder shows: `Authorization: Bearer TOKEN`")] + TokenResult.members)
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
        var json = TokenResult.json(TokenAuthority.Listed(token: made.token, used: nil, isOver: false))
        json["token"] = .string(made.text)
        return json
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
    static let result = OperationResult(
        "The tokens, without what their holders show",
        [
            .init("tokens", .list(.object(TokenResult.members)), "In the order of their names"),
            TokenResult.openToLoopback,
        ])

    /// Knows the tokens.
    let authority: TokenAuthority

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        [
            "tokens": .array(self.authority.list.map { .object(TokenResult.json($0)) }),
            "open_to_loopback": .bool(self.authority.isOpenToLoopback),
        ]
    }
}

/// `token.revoke`
struct RevokeToken: GatewayOperation {
    static let name: OperationName = "token.revoke"
    static let route = OperationRoute(.delete, "/tokens/{id}")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Revokes a token for the API, and ends the connections of its holder"
    static let result = OperationResult(
        "The token that was",
        TokenResult.members + [
            .init("kept", .boolean, "Whether that holds after a restart, since the state can be written"),
            TokenResult.openToLoopback,
        ])
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
        var json = TokenResult.json(TokenAuthority.Listed(token: token, used: nil, isOver: false))
        json["kept"] = .bool(self.authority.isKept)
        json["open_to_loopback"] = .bool(self.authority.isOpenToLoopback)
        return json
    }
}

/// What operations say of tokens.
private enum TokenResult {
    static let members: [OperationResult.Member] = [
        .init("id", .text, "By which it is revoked"), .init("name", .text, "What its holder is called"),
        .init("scopes", .list(.word(OperationScope.allCases.map(\.rawValue))), "What its holder may do"),
        .optional("devices", .list(.text), "The devices that its holder may see and use; all when missing"),
        .init("origin", .word(["created", "configured"]), "Whether a caller made it, or `api.tokens` has it"),
        .init("expired", .boolean, "Whether its time is over"),
        .optional("created", .text, "When it was made, in UTC"), .optional("expires", .text, "When it ends, in UTC"),
        .optional("used", .text, "When it was used last, to the hour, in UTC; missing when it never was"),
    ]

    static let openToLoopback = OperationResult.Member(
        "open_to_loopback", .boolean,
        "Whether callers of the gateway's machine may read and control without a token, since there is none")

    static let notKept = OperationProblemCase(
        "not_kept", 409, "the state cannot be written, so nothing has changed")

    static func json(_ listed: TokenAuthority.Listed) -> JSONObject {
        let token = listed.token
        var json: JSONObject = [
            "id": .string(token.id), "name": .string(token.name),
            "scopes": .array(OperationScope.allCases.filter(token.scopes.contains).map { .string($0.rawValue) }),
        ]
        if let devices = token.devices { json["devices"] = .array(devices.map { .string($0.text) }) }
        json["origin"] = .string(token.isConfigured ? "configured" : "created")
        json["expired"] = .bool(listed.isOver)
        if let created = token.created { json["created"] = .string("\(created)") }
        if let expires = token.expires { json["expires"] = .string("\(expires)") }
        if let used = listed.used { json["used"] = .string("\(used)") }
        return json
    }
}
