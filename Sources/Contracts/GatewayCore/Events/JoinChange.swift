/// What happened to a join code, or to a guest who has redeemed one. Nothing of it is a secret: codes and guests are named by their ids.
public enum JoinChange: Hashable, Sendable {
    /// A caller has made a code; `name` is what its guests are called, `devices` are names with `*` for any number of characters.
    case codeCreated(code: String, name: String, devices: [String], by: String)
    /// A code is not taken any more, by a caller's word.
    case codeRevoked(code: String, name: String, by: String)
    /// The digits of a code are not taken any more, since so many wrong ones were tried; its link still is.
    case codeExhausted(code: String, name: String, attempts: Int)
    /// A guest has redeemed a code; the address is nil for one who got a token alone.
    case codeRedeemed(code: String, guest: String, name: String, devices: [String], address: String?)
    /// A guest may do nothing any more.
    case guestLeft(guest: String, name: String, devices: [String], address: String?, reason: String)

    /// The event's name on every interface.
    public var name: String { self.declaration.name }
}

extension JoinChange: EventFamily {
    /// They are about no one device, so callers that are limited to devices do not get them.
    var declaration: EventDeclaration {
        switch self {
        case .codeCreated(let code, let name, let devices, let caller):
            Event("join_code.created", .log, .gateway) {
                "A caller has made a join code"
                Self.code(code)
                Self.guestName(name)
                Self.devices(devices)
                Self.caller(caller)
            }
        case .codeRevoked(let code, let name, let caller):
            Event("join_code.revoked", .log, .gateway) {
                "A caller has revoked a join code"
                Self.code(code)
                Self.guestName(name)
                Self.caller(caller)
            }
        case .codeExhausted(let code, let name, let attempts):
            Event("join_code.exhausted", .log, .gateway) {
                "The digits of a join code are not taken any more, since too many wrong ones were tried; its link still is"
                Self.code(code)
                Self.guestName(name)
                EventField("attempts", attempts, "How many wrong digits were tried while it was there")
            }
        case .codeRedeemed(let code, let guest, let name, let devices, let address):
            Event("join_code.redeemed", .log, .gateway) {
                "A guest has redeemed a join code"
                Self.code(code)
                Self.guest(guest, name, devices, address)
            }
        case .guestLeft(let guest, let name, let devices, let address, let reason):
            Event("guest.left", .log, .gateway) {
                "A guest has checked out, or the guest's time is over"
                Self.guest(guest, name, devices, address)
                EventField.reason(reason)
            }
        }
    }

    package static let examples: [JoinChange] = [
        .codeCreated(code: "", name: "", devices: [], by: ""), .codeRevoked(code: "", name: "", by: ""),
        .codeExhausted(code: "", name: "", attempts: 0),
        .codeRedeemed(code: "", guest: "", name: "", devices: [], address: nil),
        .guestLeft(guest: "", name: "", devices: [], address: nil, reason: ""),
    ]

    private static func code(_ code: String) -> EventField { EventField("code", code, "The id of the code") }
    private static func guestName(_ name: String) -> EventField {
        EventField("name", name, "What its guests are called")
    }
    private static func caller(_ name: String) -> EventField { EventField("by", name, "What the caller is called") }
    private static func devices(_ names: [String]) -> EventField {
        EventField("devices", names, "The devices that it is for, with `*` for any number of characters")
    }

    private static func guest(_ id: String, _ name: String, _ devices: [String], _ address: String?) -> [EventField] {
        [
            EventField("guest", id, "The id of the guest"), Self.guestName(name), Self.devices(devices),
            .optional(
                "address", address, "The address that may connect; missing for a guest who got a token alone"),
        ]
    }
}
