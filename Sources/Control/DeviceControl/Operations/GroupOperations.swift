import BuiltInReceiver
import CastWire
import FeatureContract
import GatewayConfig
import GatewayOperations

/// The members of a speaker group, as operations answer with them.
struct GroupResult: ResultRecord {
    typealias Source = (group: String, members: [SpeakerGroups.Member], caller: Caller)

    let group = Field("device", "The group's name") { $0.group }
    let members = Field(
        "members", listOf: GroupMemberResult.self,
        "The members that the caller may use, in the order in which they were named"
    ) { source in
        source.members.filter { source.caller.mayUse(device: $0.device) }
    }

    static let layout = ResultLayout(GroupResult())

    static let noGroup = OperationProblemCase("not_a_group", 409, "the device is no speaker group, or does not run")
}

/// A member of a speaker group.
private struct GroupMemberResult: ResultRecord {
    typealias Source = SpeakerGroups.Member

    let device = Field("device", "The member's name") { $0.device }
    let isRunning = Field("running", "Whether the device runs; senders are shown only members that do") {
        $0.deviceID != nil
    }
    let id = Field.optional("id", "Its UUID, as senders are told; missing while it does not run") { $0.deviceID }
    let level = Field.optional("level", "Its volume, 0 to 1; missing while it does not run") { $0.level }
    let isMuted = Field.optional("muted", "Whether it is muted; missing while it does not run") { $0.isMuted }

    static let layout = ResultLayout(GroupMemberResult())
}

/// `group.members`
struct ListGroupMembers: GatewayOperation {
    static let name: OperationName = "group.members"
    static let route = OperationRoute(.get, "/virtual-devices/{device}/members")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Lists the members of a speaker group among the virtual devices"
    static let details =
        "What senders are told of a group of real speakers is in `volume.get` and `session.members`."
    static let result = GroupResult.result("The group's members")
    static let problems = DeviceProblem.virtual + [GroupResult.noGroup]

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: OneVirtualDeviceInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let name = try self.feature.resolver.virtualDevice(input.device, for: caller).name
        guard let members = self.feature.groups.members(of: name) else {
            throw OperationProblem(refusal: .noGroup, of: name)
        }
        return GroupResult.json((name, members, caller))
    }
}

/// `group.change`
struct ChangeGroup: GatewayOperation {
    struct Input: RuledInput {
        var device = DeviceReference("")
        var added: [String] = []
        var removed: [String] = []

        static let keys: [Key] = [
            .virtualDevice(\.device),
            Key(
                "add", \.added, .list(of: .text(allowed: "a-z0-9-", length: 1...32)),
                "The names of virtual devices that play with the group from now on",
                example: "[kitchen]"),
            Key(
                "remove", \.removed, .list(of: .text(allowed: "a-z0-9-", length: 1...32)),
                "The names of members that play with it no more"),
        ]

        static let rules: [InputRule] = [.any(of: ["add", "remove"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "group.change"
    static let route = OperationRoute(.patch, "/virtual-devices/{device}/members")
    static let scope = OperationScope.control
    static let reach = OperationReach.device
    static let summary =
        "Adds members to a speaker group among the virtual devices, and removes some, also while it plays"
    static let details =
        "A member that is added while the group plays plays with it at once. All of a call is done, or nothing. The change holds until the gateway "
        + "ends, or the file says something else of the group's members."
    static let result = GroupResult.result("The group's members")
    static let problems =
        DeviceProblem.virtual + [
            GroupResult.noGroup,
            OperationProblemCase(
                "not_a_speaker", 409, "what was to be added is a group, relays to a real device, or does not run"),
            OperationProblemCase("unknown_member", 404, "what was to be removed is no member"),
            OperationProblemCase("member_count", 409, "the group would have no member, or more than 16"),
        ]

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let name = try self.feature.resolver.virtualDevice(input.device, for: caller).name
        var added: [String] = []
        for member in input.added {
            added.append(try self.feature.resolver.virtualDevice(DeviceReference(member), for: caller).name)
        }
        // What is gone from the file may still be a member.
        for member in input.removed { try caller.require(device: member) }
        do throws(SpeakerGroups.Refusal) {
            let members = try self.feature.groups.change(name, adding: added, removing: input.removed)
            return GroupResult.json((name, members, caller))
        } catch {
            throw OperationProblem(refusal: error, of: name)
        }
    }
}

extension OperationProblem {
    /// Why the members of a group cannot be changed so.
    fileprivate init(refusal: SpeakerGroups.Refusal, of group: String) {
        switch refusal {
        case .noGroup:
            self.init("not_a_group", status: 409, "'\(group)' is no speaker group, or does not run")
        case .isGroup(let name):
            self.init("not_a_speaker", status: 409, "'\(name)' is a group, and groups have no groups in them")
        case .notLocal(let name):
            self.init("not_a_speaker", status: 409, "'\(name)' stands for a real device, or does not run")
        case .noMember(let name): self = .missing("unknown_member", "'\(name)' is no member of '\(group)'")
        case .noneLeft: self.init("member_count", status: 409, "'\(group)' would have no member")
        case .tooMany:
            self.init(
                "member_count", status: 409,
                "'\(group)' would have more than \(SpeakerGroupConfiguration.maximumMembers) members")
        }
    }
}
