package import CastWire
import FeatureContract
import GatewayConfig
package import GatewayOperations

/// `guests.list`
struct ListGuests: GatewayOperation {
    static let name: OperationName = "guests.list"
    static let route = OperationRoute(.get, "/guests")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists the guests who have redeemed a join code, and have not checked out"
    static let details = "A guest sees itself alone."
    static let result = GuestListResult.result("The guests")

    let feature: GuestsFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let register = self.feature.desk.register
        let own = caller.token.flatMap(register.book.guest(withToken:))
        let guests = try await BlockingWork.run { () throws(OperationProblem) in register.guests }
            .filter { guest in own.map { $0.id == guest.id } ?? JoinGrant.covers(guest.devices, caller) }
        return GuestListResult.json(guests)
    }
}

/// `guest.check_out`
struct CheckOutGuest: GatewayOperation {
    struct Input: RuledInput {
        var guest: String?
        var device: String?

        static let keys: [Key] = [
            .optional(
                "guest", \.guest, .text(maximumBytes: 64), "One guest, by its id in `guests.list`",
                example: "g-4kq7h2mzp9"),
            .optional(
                "device", \.device, .text(maximumBytes: 64),
                "All guests of a device; codes for it that can be redeemed now are revoked too, and messages kept for its apps are forgotten",
                example: "room-12"),
        ]

        static let rules: [InputRule] = [.one(of: ["guest", "device"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "guest.check_out"
    static let route = OperationRoute(.post, "/guests/check-out")
    static let scope = OperationScope.control
    static let reach = OperationReach.permitted
    static let summary = "Checks out a guest, or all guests of a device, and ends what they do"
    static let details =
        "From then on the guest's address may not connect, and the guest's token is not taken. Connections of both are closed, and the apps that "
        + "the guest has joined as a sender are stopped, unless a sender of another address is connected to them. An app that does not stop is "
        + "asked again for ten minutes, and once more for as long when the gateway is restarted within a day. A guest may check out itself, and none else."
    static let result = CheckOutResult.result("Those who are checked out")
    static let problems = [
        OperationProblemCase("unknown_guest", 404, "there is no such guest, or one of other devices than the caller's"),
        OperationProblemCase("unknown_device", 404, "there is no such device, and no guest or code names it"),
        OperationProblemCase(
            "ambiguous_device", 409, "several devices go by that; `choices` has what to write instead"),
        JoinProblem.guestNotAllowed, JoinProblem.notKept,
    ]

    let feature: GuestsFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let desk = self.feature.desk
        let device = try await self.device(input, for: caller)
        let (departures, revoked) = try await BlockingWork.run {
            () throws(OperationProblem) -> ([GuestDeparture], [JoinCode]) in
            let all = desk.register.guests.filter { JoinGrant.covers($0.devices, caller) }
            guard let device else {
                let meant = all.filter { $0.id == input.guest }
                // A guest may leave by itself.
                if meant.first?.token == nil || meant.first?.token != caller.token {
                    try desk.refuseGuests(caller, "check others out")
                }
                guard !meant.isEmpty else {
                    throw .missing("unknown_guest", "there is no guest '\(input.guest ?? "")'")
                }
                return (try desk.register.checkOut(meant, by: caller), [])
            }
            try desk.refuseGuests(caller, "check others out")
            // Codes first, so that no guest of the device comes behind the others.
            let revoked = try desk.revokeCodes(for: device, by: caller)
            let meant = desk.register.guests.filter {
                $0.mayUse(device: device) && JoinGrant.covers($0.devices, caller)
            }
            return (try desk.register.checkOut(meant, by: caller), revoked)
        }
        var guests: [CheckedOutGuestResult.Source] = []
        for departure in departures {
            let outcome = await self.feature.end(departure)
            guests.append((departure.guest, outcome.closed, outcome.stopped, outcome.unstopped.count))
        }
        var messages = 0
        if let device { messages = await self.feature.forgetMessages(for: device) }
        return CheckOutResult.json((guests, revoked, messages))
    }

    /// The gateway's name of the device that is meant; nil when a guest is.
    private func device(_ input: Input, for caller: Caller) async throws(OperationProblem) -> String? {
        guard let text = input.device else { return nil }
        let desk = self.feature.desk
        let named = try await BlockingWork.run { () throws(OperationProblem) in
            Set((desk.register.guests.flatMap(\.devices) + desk.codes.flatMap(\.code.grant.devices)).map(\.text))
        }
        // It may be in the configuration no more.
        let device = named.contains(text) ? text : try self.feature.device(text, for: caller)
        try caller.require(device: device)
        return device
    }
}

/// The guests who have not checked out.
package struct GuestListResult: ResultRecord {
    package typealias Source = [Guest]

    package let guests = Field("guests", listOf: GuestResult.self, "The oldest first") { $0 }

    package static let layout = ResultLayout(GuestListResult())
}

/// The guests who are checked out, and what ends with them.
package struct CheckOutResult: ResultRecord {
    package typealias Source = (guests: [CheckedOutGuestResult.Source], revoked: [JoinCode], messages: Int)

    package let guests = Field("guests", listOf: CheckedOutGuestResult.self, "The oldest first") { $0.guests }
    package let revoked = Field("revoked", "The ids of the codes that are revoked with them") {
        $0.revoked.map(\.id)
    }
    package let messages = Field(
        "messages", "How many messages that were kept for apps on the device are forgotten"
    ) { $0.messages }

    package static let layout = ResultLayout(CheckOutResult())
}

/// A guest who is checked out.
package struct CheckedOutGuestResult: ResultRecord {
    package typealias Source = (guest: Guest, closed: Int, stopped: [String], unstopped: Int)

    package let guest = Embedded(GuestResult.self) { $0.guest }
    package let closed = Field("closed", "How many connections of senders were closed") { $0.closed }
    package let stopped = Field("stopped", "The apps that were stopped, as `DEVICE: APP`") { $0.stopped }
    package let unstopped = Field("unstopped", "How many apps did not stop yet") { $0.unstopped }

    package static let layout = ResultLayout(CheckedOutGuestResult())
}
