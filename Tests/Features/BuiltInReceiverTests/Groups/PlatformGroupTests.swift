import CastWire
import GatewayCore
import Testing

@testable import BuiltInReceiver

/// What the built-in receiver does as a member of a group, and as one.
@Suite struct PlatformGroupTests {
    private static func speaker(_ name: String, level: Float = 0.5) -> SpeakerState {
        var state = SpeakerState(device: name)
        state.deviceID = "id-\(name)"
        state.name = "The \(name)"
        state.capabilities = 4
        state.level = level
        return state
    }

    /// What a member sees of a group that runs an app, with itself and the hall in it.
    private static func playing(_ session: String, order: Int = 1, text: String = "Casting: Song") -> GroupView.Playing
    {
        GroupView.Playing(
            group: Self.speaker("house"),
            session: GroupSession(id: session, displayName: "Default Media Receiver", statusText: text), order: order,
            members: [Self.speaker("kitchen"), Self.speaker("hall", level: 0.1)])
    }

    private static func look(_ bench: inout PlatformBench, _ view: GroupView) -> [ReceiverPlatform.Action] {
        bench.platform.look(at: view, at: bench.now)
    }

    private static func app(_ bench: inout PlatformBench) -> JSONObject? {
        let status = bench.send(["type": "GET_STATUS", "requestId": 99]).first?.json.object("status")
        return status?.array("applications")?.first?.objectValue
    }

    // MARK: Members

    @Test func aMemberShowsWhatItsGroupPlays() {
        var bench = PlatformBench()
        let actions = Self.look(&bench, GroupView(playing: [Self.playing("s1")]))
        #expect(
            actions.summaries == [
                "started 705D30C6 session-1", "receiver-0->all RECEIVER_STATUS 0", "receiver-0->all DEVICE_ADDED 0",
                "receiver-0->all DEVICE_ADDED 0",
            ])
        let app = Self.app(&bench)
        #expect(app?.string("appId") == "705D30C6")
        #expect(app?.string("displayName") == "Default Media Receiver")
        #expect(app?.string("statusText") == "Casting: Song")
        // The media are the group's: nothing is loaded here, and nothing can be.
        let (connected, _) = bench.connect("sender-0", to: bench.transport)
        #expect(connected)
        let status = bench.send(["type": "GET_STATUS", "requestId": 5], in: .media, to: bench.transport)
        #expect(status.first?.json == ["type": "MEDIA_STATUS", "requestId": 5, "status": []])
        let load = bench.send(["type": "LOAD", "requestId": 6], in: .media, to: bench.transport)
        #expect(load.first?.json.string("type") == "LOAD_FAILED")
    }

    @Test func aMemberTellsOfItsGroup() {
        var bench = PlatformBench()
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s1")]))
        let status = bench.send(["type": "GET_STATUS", "requestId": 1], in: .multizone).first?.json
        #expect(MultizonePayload(json: status ?? [:]).devices.map(\.deviceID) == ["id-kitchen", "id-hall"])
        let groups = bench.send(["type": "GET_CASTING_GROUPS", "requestId": 2], in: .multizone).first?.json
        let listed = groups?.object("status")?.array("groups")?.compactMap(\.objectValue)
        #expect(listed?.map { $0.string("deviceId") } == ["id-house"])
        #expect(listed?.first?.object("volume")?.double("level").map { abs($0 - 0.3) < 0.001 } == true)
    }

    @Test func theTextFollowsAndTheEndComesWithTheGroups() {
        var bench = PlatformBench()
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s1")]))
        let text = Self.look(&bench, GroupView(playing: [Self.playing("s1", text: "Other")]))
        #expect(text.summaries == ["receiver-0->all RECEIVER_STATUS 0"])
        let over = Self.look(&bench, GroupView())
        #expect(over.summaries.contains("ended session-1 stopped"))
        #expect(over.summaries.filter { $0.hasSuffix("DEVICE_REMOVED 0") }.count == 2)
        let app = Self.app(&bench)
        #expect(app == nil)
    }

    @Test func aGroupTakesTheSpeakerAndTheSpeakerMayLeave() {
        var bench = PlatformBench()
        _ = bench.launch()
        let taken = Self.look(&bench, GroupView(playing: [Self.playing("s1")]))
        #expect(taken.summaries.contains("ended session-1 replaced"))
        // A launch of its own takes it from the group, for as long as the session runs.
        _ = bench.launch()
        let app = Self.app(&bench)?.string("appId")
        #expect(app == "CC1AD845")
        let again = Self.look(&bench, GroupView(playing: [Self.playing("s1", text: "Other")]))
        #expect(again.summaries == [])
        // The next session takes it again.
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s2", order: 2)]))
        let follower = Self.app(&bench)?.string("appId")
        #expect(follower == "705D30C6")
    }

    @Test func whatIsStoppedIsNotJoinedAgain() {
        var bench = PlatformBench()
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s1")]))
        let stopped = bench.send(["type": "STOP", "requestId": 3])
        #expect(stopped.summaries.last == "sender-0@c1 RECEIVER_STATUS 3")
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s1", text: "Other")]))
        let app = Self.app(&bench)
        #expect(app == nil)
        // It was taken out of the group, and put in again.
        _ = Self.look(&bench, GroupView())
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s1")]))
        let joined = Self.app(&bench)?.string("appId")
        #expect(joined == "705D30C6")
    }

    @Test func theNewestOfSeveralGroupsIsFollowed() {
        var bench = PlatformBench()
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s2", order: 2), Self.playing("s1", order: 1)]))
        let actions = Self.look(
            &bench, GroupView(playing: [Self.playing("s3", order: 3), Self.playing("s2", order: 2)]))
        #expect(actions.summaries.contains("ended session-1 replaced"))
        #expect(bench.platform.speakers.followed == "s3")
        // The older one is not gone back to.
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s2", order: 2)]))
        #expect(bench.platform.speakers.followed == nil)
    }

    @Test func whatAGroupPlaysIsNotEndedForWantOfSenders() {
        var bench = PlatformBench(idleTimeout: .seconds(1))
        _ = Self.look(&bench, GroupView(playing: [Self.playing("s1")]))
        let actions = bench.advance(by: .seconds(60))
        #expect(actions.summaries == [])
        #expect(bench.platform.speakers.followed == "s1")
    }

    @Test func aMemberTakesTheVolumeThatItsGroupAsks() {
        var bench = PlatformBench()
        let actions = Self.look(&bench, GroupView(order: VolumeOrder(level: 0.25, isMuted: true)))
        #expect(actions.summaries == ["receiver-0->all RECEIVER_STATUS 0"])
        #expect(actions.first?.status?.volume?.level == 0.25)
        #expect(actions.first?.status?.volume?.muted == true)
        let again = Self.look(&bench, GroupView())
        #expect(again.summaries == [])
    }

    // MARK: Groups

    @Test func aGroupListsItsMembersAndTellsOfThem() {
        var bench = PlatformBench()
        let first = Self.look(&bench, GroupView(members: [Self.speaker("kitchen")]))
        #expect(first.summaries == ["receiver-0->all DEVICE_ADDED 0"])
        let status = bench.send(["type": "GET_STATUS", "requestId": 1], in: .multizone).first?.json
        let device = MultizonePayload(json: status ?? [:]).devices.first
        #expect(device?.deviceID == "id-kitchen")
        #expect(device?.name == "The kitchen")
        #expect(device?.capabilities == 4)
        #expect(device?.volume?.level == 0.5)
        #expect(device?.volume?.muted == false)
        let news = Self.look(
            &bench, GroupView(members: [Self.speaker("kitchen", level: 0.75), Self.speaker("hall", level: 0.25)]))
        #expect(news.summaries == ["receiver-0->all DEVICE_UPDATED 0", "receiver-0->all DEVICE_ADDED 0"])
        let gone = Self.look(&bench, GroupView(members: [Self.speaker("hall", level: 0.5)]))
        #expect(gone.summaries == ["receiver-0->all DEVICE_REMOVED 0", "receiver-0->all DEVICE_UPDATED 0"])
        #expect(gone.first?.json.string("deviceId") == "id-kitchen")
    }

    @Test func aGroupsVolumeIsTheMeanOfItsMembers() {
        var bench = PlatformBench()
        let members = [Self.speaker("kitchen", level: 0.25), Self.speaker("hall", level: 0.5)]
        let actions = Self.look(&bench, GroupView(members: members))
        #expect(actions.first?.status?.volume?.level == 0.375)
        let set = bench.send(["type": "SET_VOLUME", "requestId": 7, "volume": ["level": 0.75]])
        #expect(
            set.summaries == [
                "members all 0.75 -", "receiver-0->all RECEIVER_STATUS 0", "sender-0@c1 RECEIVER_STATUS 7",
            ])
        #expect(set.last?.status?.volume?.level == 0.75)
        // What rounding leaves is not told.
        let louder = [Self.speaker("kitchen", level: 0.70001), Self.speaker("hall", level: 0.8)]
        let same = Self.look(&bench, GroupView(members: louder))
        #expect(same.summaries == ["receiver-0->all DEVICE_UPDATED 0", "receiver-0->all DEVICE_UPDATED 0"])
        let muted = bench.send(["type": "SET_VOLUME", "requestId": 8, "volume": ["muted": true]])
        #expect(muted.summaries.first == "members all - true")
    }

    @Test func aGroupOfFixedMembersHasAFixedVolume() {
        var bench = PlatformBench()
        var member = Self.speaker("kitchen")
        member.isFixed = true
        _ = Self.look(&bench, GroupView(members: [member]))
        let set = bench.send(["type": "SET_VOLUME", "requestId": 7, "volume": ["level": 0.75]])
        #expect(set.summaries == ["sender-0@c1 RECEIVER_STATUS 7"])
        #expect(set.last?.status?.volume?.level == 0.5)
    }

    @Test func oneMembersVolumeIsChangedThroughTheGroup() {
        var bench = PlatformBench()
        let id = "1531dd63-0000-4000-8000-998e633db4da"
        var member = Self.speaker("kitchen")
        member.deviceID = id
        _ = Self.look(&bench, GroupView(members: [member, Self.speaker("hall")]))
        func ask(_ id: String, _ volume: JSONValue) -> [ReceiverPlatform.Action] {
            bench.send(
                ["type": "SET_DEVICE_VOLUME", "requestId": 4, "deviceId": .string(id), "volume": volume], in: .multizone
            )
        }
        let set = ask(id.uppercased(), ["level": 0.25])
        #expect(
            set.summaries == [
                "members kitchen 0.25 -", "receiver-0->all DEVICE_UPDATED 0", "sender-0@c1 MULTIZONE_STATUS 4",
            ])
        #expect(MultizonePayload(json: set.last?.json ?? [:]).devices.map { $0.volume?.level } == [0.25, 0.5])
        let nonsense: [(device: String, volume: JSONValue)] = [
            ("none", .object(["level": 1])), (id, .object(["level": "1"])), (id, .array([])),
        ]
        for (device, volume) in nonsense {
            let refused = ask(device, volume)
            #expect(refused.first?.json.string("reason") == "INVALID_PARAMS")
        }
    }

    @Test func whatIsToldOfAGroupsAppIsWhatRuns() {
        var bench = PlatformBench()
        #expect(bench.platform.groupSession == nil)
        _ = bench.launch()
        let state = bench.platform.speakerState(of: "house", isGroup: true)
        #expect(state.session?.displayName == "Default Media Receiver")
        #expect(state.session?.id == bench.transport.rawValue)
        #expect(state.name == "Test screen")
        #expect(bench.platform.speakerState(of: "house", isGroup: false).session == nil)
    }
}
