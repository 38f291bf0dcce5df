package import CastWire
import ControlAPI
import FeatureContract
import GatewayConfig
package import GatewayOperations

/// `join_code.create`
struct CreateJoinCode: GatewayOperation {
    /// What a guest's token may be good for: a guest is no administrator.
    enum Scope: String, Sendable, Hashable, CaseIterable {
        case read, control, messages
    }

    struct Input: OperationInput {
        var devices: [String] = []
        var name = "guest"
        var connect = true
        var scopes: [Scope]?
        var stay = 86_400
        var uses = 1
        var from: UTCTime?
        var lifetime: Int?

        static let keys: [Key] = [
            .required(
                "devices", \.devices, .list(of: .text(maximumBytes: 64)),
                "The devices that its guests may use, with `*` for any number of characters", example: "[\"room-12\"]"),
            Key(
                "name", \.name, .text(maximumBytes: 64),
                "What its guests are called in logs and lists; need not be unique", example: "room-12"),
            Key(
                "connect", \.connect, .boolean,
                "Whether a guest's address may connect to those of the devices that are virtual, as a sender: where `senders.join` is `required`"
            ),
            .optional(
                "scopes", \.scopes, .list(of: .word),
                "What a guest may do by a token for the API, which is made when the code is redeemed; no token without it",
                example: "[\"read\", \"control\"]"),
            Key(
                "stay", \.stay, .integer(60...31_536_000),
                "For how long a guest may do all that unless checked out before, in seconds from when the code is redeemed",
                example: "259200"),
            Key("uses", \.uses, .integer(1...1000), "How many guests may redeem it"),
            .optional(
                "from", \.from, .time,
                "From when it can be redeemed, at most a year ahead: a day, or a moment in UTC; from now on without it",
                example: "2027-01-04T14:00:00Z"),
            .optional(
                "lifetime", \.lifetime, .integer(60...604_800),
                "For how long it can be redeemed then, in seconds; without it 900, or 86400 beside `from`",
                example: "600"),
        ]

        init(blank: ConfigBlank) {}
    }

    /// How far ahead a code may start, in seconds.
    private static let furthestStart: Int64 = 31_622_400

    static let name: OperationName = "join_code.create"
    static let route = OperationRoute(.post, "/join-codes")
    static let scope = OperationScope.control
    static let isAnswerKept = false
    static let reach = OperationReach.permitted
    static let summary = "Makes a join code: what it gives, a guest gets who redeems it"
    static let details =
        "Digits and link are answered once and kept nowhere: the gateway knows their hashes, and takes no idempotency key. A caller "
        + "cannot give more than it may do itself, nor for longer than its token is good; a code whose maker loses its rights is not "
        + "taken any more. Guests cannot make codes. A code that gives a token takes the scope `admin` besides, as `token.create` does."
    static let scopedParts = [ScopedPart("scopes", scope: .admin)]
    static let inputRules: JSONObject = [
        "properties": [
            "devices": ["minItems": 1, "items": ["pattern": .string(DevicePattern.expression)]],
            "scopes": ["minItems": 1],
        ],
        "anyOf": [["properties": ["connect": ["const": true]]], ["required": ["scopes"]]],
    ]
    static let result = NewJoinCodeResult.result("The code", status: 201)
    static let problems = [
        JoinProblem.notKept, OperationProblemCase("too_many_codes", 409, "there are a thousand codes"),
        JoinProblem.guestNotAllowed,
        OperationProblemCase("unknown_device", 404, "there is no such device"),
        OperationProblemCase(
            "not_virtual", 409, "the device is a real one; only those that are virtual can be connected to"),
        OperationProblemCase(
            "ambiguous_device", 409, "several devices go by that; `choices` has what to write instead"),
    ]

    let feature: GuestsFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let scopes = Set((input.scopes ?? []).compactMap { OperationScope(rawValue: $0.rawValue) })
        guard !APITokenConfiguration.reservedNames.contains(input.name.lowercased()) else {
            throw Self.invalid("'\(input.name)' is what callers without a token are called")
        }
        guard input.connect || !scopes.isEmpty else {
            throw Self.invalid("it would give nothing: no connection, and no scope")
        }
        guard input.scopes?.isEmpty != true else { throw Self.invalid("without a scope a token is of no use") }
        guard !input.devices.isEmpty else { throw Self.invalid("without a device it would give nothing") }
        let grant = JoinGrant(
            devices: try self.feature.devices(input.devices, areVirtual: input.connect, for: caller),
            connects: input.connect, scopes: scopes, stay: input.stay)
        guard grant.mayBeGiven(by: caller) else {
            if let missing = scopes.first(where: { !caller.scopes.contains($0) }) {
                throw OperationProblem(
                    "scope_missing", status: 403, "the caller has no scope '\(missing.rawValue)', so it cannot give it")
            }
            throw OperationProblem("device_not_allowed", status: 403, "the caller may not use those devices itself")
        }
        if let from = input.from, from.seconds > self.feature.now + Self.furthestStart {
            throw Self.invalid("'from' must be at most a year ahead")
        }
        let lifetime = input.lifetime ?? (input.from == nil ? 900 : 86_400)
        let desk = self.feature.desk
        let made = try await BlockingWork.run { () throws(OperationProblem) in
            try desk.create(
                name: input.name, grant: grant, uses: input.uses, from: input.from, lifetime: lifetime, for: caller)
        }
        return NewJoinCodeResult.json(
            (made.digits, self.feature.link(made.link), (made.code, made.code.state(at: made.code.created))))
    }

    private static func invalid(_ detail: String) -> OperationProblem {
        OperationProblem("invalid_input", status: 422, detail)
    }
}

/// `join_codes.list`
struct ListJoinCodes: GatewayOperation {
    static let name: OperationName = "join_codes.list"
    static let route = OperationRoute(.get, "/join-codes")
    static let scope = OperationScope.control
    static let reach = OperationReach.permitted
    static let summary = "Lists the join codes whose time is not over"
    static let problems = [JoinProblem.guestNotAllowed]
    static let result = JoinCodeListResult.result("The codes, without what guests show")

    let feature: GuestsFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let desk = self.feature.desk
        try desk.refuseGuests(caller, "see codes")
        let codes = try await BlockingWork.run { () throws(OperationProblem) in desk.codes }
        return JoinCodeListResult.json(codes.filter { JoinGrant.covers($0.code.grant.devices, caller) })
    }
}

/// `join_code.revoke`
struct RevokeJoinCode: GatewayOperation {
    struct Input: OperationInput {
        var id = ""

        static let keys: [Key] = [
            .required(
                "id", \.id, .text(maximumBytes: 64), "Its id, as `join_codes.list` has it", example: "j-4kq7h2mzp9")
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "join_code.revoke"
    static let route = OperationRoute(.delete, "/join-codes/{id}")
    static let scope = OperationScope.control
    static let reach = OperationReach.permitted
    static let summary = "Revokes a join code; guests who have redeemed it stay"
    static let result = JoinCodeResult.result("The code that was")
    static let problems = [
        OperationProblemCase(
            "unknown_code", 404, "there is no such code, or it is for other devices than the caller's"),
        JoinProblem.guestNotAllowed, JoinProblem.notKept,
    ]

    let feature: GuestsFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let desk = self.feature.desk
        let code = try await BlockingWork.run { () throws(OperationProblem) in
            try desk.revoke(input.id, by: caller)
        }
        return JoinCodeResult.json((code, code.state(at: UTCTime(seconds: self.feature.now))))
    }
}

/// `join_code.redeem`
struct RedeemJoinCode: GatewayOperation {
    struct Input: OperationInput {
        var code = ""
        var address: String?

        static let keys: [Key] = [
            .required(
                "code", \.code, .text(maximumBytes: 300), "Its digits, its link, or what the link ends in",
                example: "4827 1935"),
            .optional(
                "address", \.address, .text(allowed: "0-9.", length: 7...15),
                "The guest's IPv4 address, where the code lets it connect; wrong codes are counted to it",
                example: "192.0.2.7"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "join_code.redeem"
    static let route = OperationRoute(.post, "/guests")
    static let scope = OperationScope.control
    static let isAnswerKept = false
    static let reach = OperationReach.anyone
    static let summary = "Redeems a join code for a guest, as the page of `api.join` does"
    static let details =
        "For a desk or a portal of your own, not for guests. What is wrong with a code is not told: it may be unknown, over, used, or revoked."
    static let result = NewGuestResult.result("The guest", status: 201)
    static let problems = [
        OperationProblemCase(
            "code_refused", 403, "the code is unknown, over, used, revoked, or for other devices than the caller's"),
        JoinProblem.guestNotAllowed,
        OperationProblemCase("too_many_attempts", 429, "too many wrong codes; `retry_after` has the seconds to wait"),
        OperationProblemCase(
            "address_not_usable", 409, "the code lets an address connect, and `address` is missing or no IPv4 address"),
        OperationProblemCase("too_many_guests", 409, "there are ten thousand guests"),
        OperationProblemCase("too_many_tokens", 409, "there are a thousand tokens"), JoinProblem.notKept,
    ]

    let feature: GuestsFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard let shown = ShownCode(linkOrCode: input.code) else {
            throw OperationProblem("code_refused", status: 403, "that is no join code")
        }
        let desk = self.feature.desk
        let redeemed = try await BlockingWork.run { () throws(OperationProblem) in
            try desk.redeem(shown, from: input.address, counted: "caller \(caller.name)", by: caller)
        }
        return NewGuestResult.json(redeemed)
    }
}

/// The problems that operations on codes and on guests have in common.
enum JoinProblem {
    static let guestNotAllowed = OperationProblemCase("guest_not_allowed", 403, "the caller is a guest")
    static let notKept = OperationProblemCase("not_kept", 409, "the state cannot be written, so nothing has changed")
}

/// The join codes whose time is not over.
package struct JoinCodeListResult: ResultRecord {
    package typealias Source = [JoinCodeResult.Source]

    package let codes = Field("codes", listOf: JoinCodeResult.self, "The oldest first") { $0 }

    package static let layout = ResultLayout(JoinCodeListResult())
}

/// A join code, without what guests show.
package struct JoinCodeResult: ResultRecord {
    package typealias Source = (code: JoinCode, state: JoinCode.State)

    package let id = Field("id", "By which it is revoked") { $0.code.id }
    package let name = Field("name", "What its guests are called") { $0.code.name }
    package let state = Field(
        "state",
        "How it is: `pending` before `starts`, `exhausted` when too many wrong digits were tried, so that its link alone is taken"
    ) { $0.state }
    package let devices = Field("devices", "The devices that its guests may use") {
        $0.code.grant.devices.map(\.text)
    }
    package let connects = Field(
        "connect", "Whether a guest's address may connect to virtual devices as a sender"
    ) { $0.code.grant.connects }
    package let scopes = Field("scopes", "What a guest may do by a token; empty for no token") { source in
        OperationScope.allCases.filter(source.code.grant.scopes.contains).map(\.rawValue)
    }
    package let stay = Field("stay", "For how long a guest may do that, in seconds") { $0.code.grant.stay }
    package let uses = Field("uses", "How many guests may redeem it") { $0.code.uses }
    package let used = Field("used", "How many have") { $0.code.used }
    package let attempts = Field(
        "attempts", "How many wrong digits were tried since it was made, at all addresses together"
    ) { $0.code.attempts }
    package let maker = Field("by", "What the caller is called that made it") { $0.code.maker.name }
    package let created = Field("created", "When it was made, in UTC") { $0.code.created.description }
    package let starts = Field("starts", "From when it can be redeemed, in UTC") { $0.code.starts.description }
    package let expires = Field("expires", "Until when it can be redeemed, in UTC") { $0.code.expires.description }

    package static let layout = ResultLayout(JoinCodeResult())
}

/// A join code with what guests show.
package struct NewJoinCodeResult: ResultRecord {
    package typealias Source = (digits: String, link: String?, code: JoinCodeResult.Source)

    package let digits = Field("code", "Its eight digits as people read them: `4827 1935`") {
        ShownCode.readable($0.digits)
    }
    package let link = Field.optional(
        "link", "Its link, for a QR code; missing where `api.join` does not say where guests are served"
    ) { $0.link }
    package let code = Embedded(JoinCodeResult.self) { $0.code }

    package static let layout = ResultLayout(NewJoinCodeResult())
}

/// A guest, without what the guest shows.
package struct GuestResult: ResultRecord {
    package typealias Source = Guest

    package let id = Field("id", "By which the guest is checked out") { $0.id }
    package let name = Field("name", "What the guest is called") { $0.name }
    package let code = Field("code", "The id of the code that was redeemed") { $0.code }
    package let devices = Field("devices", "The devices that the guest may use") { $0.devices.map(\.text) }
    package let address = Field.optional(
        "address", "The address that may connect as a sender; missing for a guest with a token alone"
    ) { $0.address }
    package let token = Field.optional("token", "The id of the guest's token; missing for a guest without one") {
        $0.token
    }
    package let joined = Field("joined", "When the code was redeemed, in UTC") { $0.joined.description }
    package let expires = Field("expires", "When the guest's time is over, in UTC") { $0.expires.description }

    package static let layout = ResultLayout(GuestResult())
}

/// A guest with what the guest shows.
struct NewGuestResult: ResultRecord {
    typealias Source = JoinCodeService.Redeemed

    let guest = Embedded(GuestResult.self) { $0.guest }
    let secret = Field.optional("secret", "The guest's token, this once: `Authorization: Bearer TOKEN`") { $0.token }
    let isNew = Field("new", "Whether the address was no guest of the code before") { $0.isNew }

    static let layout = ResultLayout(NewGuestResult())
}
