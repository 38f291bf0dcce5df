import GatewayOperations

extension EventCatalogue {
    /// Join codes, and the guests who redeem them. They are about no one device, so callers that are limited to devices do not get them.
    static let guests: [EventDeclaration] = [
        EventDeclaration(
            "join_code.created", .log, .gateway, "A caller has made a join code",
            [Self.joinCode, Self.guestName, Self.devices, Self.by]),
        EventDeclaration(
            "join_code.revoked", .log, .gateway, "A caller has revoked a join code",
            [Self.joinCode, Self.guestName, Self.by]),
        EventDeclaration(
            "join_code.exhausted", .log, .gateway,
            "The digits of a join code are not taken any more, since too many wrong ones were tried; its link still is",
            [
                Self.joinCode, Self.guestName,
                .init("attempts", .integer, "How many wrong digits were tried while it was there"),
            ]),
        EventDeclaration(
            "join_code.redeemed", .log, .gateway, "A guest has redeemed a join code",
            [Self.joinCode, Self.guest, Self.guestName, Self.devices, Self.address]),
        EventDeclaration(
            "guest.left", .log, .gateway, "A guest has checked out, or the guest's time is over",
            [Self.guest, Self.guestName, Self.devices, Self.address, Self.reason]),
    ]

    private static let joinCode = OperationResult.Member("code", .text, "The id of the code")
    private static let guest = OperationResult.Member("guest", .text, "The id of the guest")
    private static let guestName = OperationResult.Member("name", .text, "What its guests are called")
    private static let by = OperationResult.Member("by", .text, "What the caller is called")
    private static let devices = OperationResult.Member(
        "devices", .list(.text), "The devices that it is for, with `*` for any number of characters")
    private static let address = OperationResult.Member.optional(
        "address", .text, "The address that may connect; missing for a guest who got a token alone")
}
