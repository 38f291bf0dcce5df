import ArgumentParser
import CastClient
import CastWire
import DeviceSessions
import GatewayConfig
import GatewaySettings
import Testing
import VirtualDevices

@testable import castway

@Suite struct ArgumentTests {
    @Test(arguments: [
        ("hall.lan", "hall.lan", 8009), ("127.0.0.1:8010", "127.0.0.1", 8010), ("[::1]:8010", "::1", 8010),
        ("::1", "::1", 8009), ("[fe80::1%eth0]", "fe80::1%eth0", 8009),
    ])
    func addresses(text: String, host: String, port: Int) {
        #expect(CastAddress(argument: text) == .place(CastPlace(host: host, port: port)))
    }

    @Test(arguments: [
        "", ":8009", "name=", "name= ", "a=b", "hall:", "hall:0", "hall:65536", "hall:x", "[::1", "[::1]x", "a b",
        "http://x",
    ])
    func noAddresses(text: String) {
        #expect(CastAddress(argument: text) == nil)
    }

    @Test(arguments: [
        (["cast", "hall", "load", "u", "--live"], ["cast", "load", "hall", "u", "--live"]),
        (["cast", "hall", "--json", "status"], ["cast", "status", "hall", "--json"]),
        (["cast", "load", "hall", "u"], ["cast", "load", "hall", "u"]), (["cast", "hall"], ["cast", "hall"]),
        (["cast", "help", "load"], ["help", "cast", "load"]), (["run", "x", "load"], ["run", "x", "load"]),
        (["cast", "--help", "load"], ["cast", "--help", "load"]),
        (["cast", "--device", "My Hall", "load", "u"], ["cast", "load", "name=My Hall", "u"]),
        (["cast", "--device=My Hall"], ["cast", "name=My Hall"]),
        (["cast", "load", "u", "--device", "Hall"], ["cast", "load", "name=Hall", "u"]),
        (["run", "--device", "Hall"], ["run", "--device", "Hall"]), (["cast", "--device"], ["cast", "--device"]),
    ])
    func theCommandMayFollowTheHost(arguments: [String], expected: [String]) throws {
        #expect(try CastCommand.commandFirst(arguments) == expected)
    }

    @Test(arguments: [
        (["cast", "hall", "stauts"], "did you mean 'status'?"), (["cast", "hall", "dance", "--json"], "cast --help"),
        (["cast", "hall", "--device", "Hall", "status"], "Two devices"),
        (["cast", "hall", "volume", "30", "--device=Hall"], "Two devices"),
    ])
    func mistakesInTheOrderAreNamed(arguments: [String], message: String) {
        let error = #expect(throws: ValidationError.self) { try CastCommand.commandFirst(arguments) }
        #expect(error?.message.contains(message) == true)
    }

    @Test(arguments: [
        ("90", 90.0), ("+10", 30), ("-10", 10), ("-50", 0), ("0", 0), ("1:30", 90), ("1:02:03", 3723), ("90s", 90),
        ("1m30s", 90), ("1h2m3s", 3723), ("2h", 7200), ("0:05.5", 5.5), ("+1:00", 80), ("-0:05", 15), ("+1m", 80),
        ("1.5m", 90), ("90:00", 5400),
    ])
    func positions(text: String, seconds: Double) throws {
        let command = try Castway.parseAsRoot(["cast", "seek", "hall", text]) as? SeekCommand
        #expect(command?.position.first?.command(from: 20) == .seek(to: seconds))
    }

    @Test(arguments: [
        "1:60", "1:2:3:4", "1:", ":30", "1::2", "1.5:30", "1m30", "30s1m", "1d", "+", "-", "+live", "soon", "1e3",
        "nan",
        "0x10", "1:60:00",
    ])
    func noPositions(text: String) {
        #expect(throws: ValidationError.self) { try SeekPosition(text) }
    }

    @Test(arguments: ["seek", "volume"])
    func aMistypedOptionIsNoValue(command: String) {
        let error = #expect(throws: (any Error).self) {
            try Castway.parseAsRoot(["cast", command, "hall", "30", "--timout", "3"])
        }
        #expect(error.map { Castway.message(for: $0) }?.contains("Unknown option '--timout'") == true)
    }

    @Test(arguments: [
        (["cast", "rate", "hall", "-1", "--json"], ["cast", "rate", "hall", "--json", "--", "-1"]),
        (["cast", "remove", "hall", "-.5", "3"], ["cast", "remove", "hall", "3", "--", "-.5"]),
        (["cast", "load", "hall", "u", "--at", "-5"], nil), (["check", "-c", "a.yaml"], nil),
        (["cast", "rate", "hall", "--", "-1"], nil),
    ])
    func negativeNumbersAreNoOptions(_ arguments: [String], _ expected: [String]?) {
        #expect(NegativeNumbers.last(arguments) == expected)
    }

    @Test func theLiveEdgeIsAPosition() throws {
        let command = try Castway.parseAsRoot(["cast", "seek", "hall", "live"]) as? SeekCommand
        #expect(command?.position.first?.command(from: 20) == .seekToEnd())
    }

    @Test func aLoadHasAllThatIsSaid() throws {
        let arguments = [
            "http://192.0.2.9/1.mp3", "http://192.0.2.9/2.mp3", "--title", "One", "--subtitle", "Two", "--image",
            "http://i",
            "--kind", "music", "--meta", "artist=Ann", "--meta", "trackNumber=3", "--meta", "mine=x", "--rate", "1.5",
            "--at", "7", "--credentials", "c", "--credentials-type", "t", "--custom-data", "[1]", "--repeat", "all",
            "--subtitles", "de=http://s.vtt", "--no-autoplay", "--duration", "60",
        ]
        let command = try Castway.parseAsRoot(["cast", "load", "hall"] + arguments) as? LoadCommand
        let load = LoadRequest(json: try #require(command?.command.body))
        #expect(load.media?.metadata?.artist == "Ann")
        #expect(load.media?.metadata?.json["trackNumber"] == 3)
        #expect(load.media?.metadata?.json["mine"] == "x")
        #expect(load.media?.metadata?.metadataType == .musicTrack)
        #expect(load.media?.metadata?.images.first?.url == "http://i")
        #expect(load.media?.duration == 60)
        #expect(load.media?.tracks?.first?.language == "de")
        #expect(load.activeTrackIDs == [1])
        #expect(load.playbackRate == 1.5 && load.currentTime == 7 && load.autoplay == false)
        #expect(load.credentials == "c" && load.credentialsType == "t" && load.customData == [1])
        #expect(load.queueData?.repeatMode == .all)
        #expect(load.queueData?.items?.map { $0.media?.contentID } == [arguments[0], arguments[1]])
    }

    @Test(arguments: [
        ["load", "hall"], ["load", "hall", "u.mp4", "--entity", "x"], ["load", "hall", "u.mp4", "--meta", "title"],
        ["load", "hall", "u.mp4", "--custom-data", "{"], ["load", "hall", "u.mp4", "--rate", "0"],
        ["tracks", "hall", "1", "--no-text"], ["text-style", "hall"], ["text-style", "hall", "--color", "red"],
        ["repeat", "hall", "often"], ["watch", "hall", "--positions", "0"], ["load", "hall", "film.mp4"],
        ["load", "hall", "http://x/u.mp4", "--credentials-type", "t"], ["add", "hall", "film.mp4"],
        ["watch", "hall", "--positions", "1", "--json"], ["pause", "hall", "--at", "1:75"],
        ["send", "hall", "urn:x-cast:com.google.cast.receiver", "{}", "--app", "CC1AD845"],
        ["status", "hall", "--json", "--format", "text"], ["status", "hall", "--format", "github"],
    ])
    func argumentsThatMakeNoSense(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try Castway.parseAsRoot(["cast"] + arguments) }
    }

    /// Each option that a load by entity cannot carry, and what goes with it.
    @Test(arguments: [
        ["--type", "video/mp4"], ["--title", "x"], ["--subtitle", "x"], ["--image", "x"], ["--kind", "tv"],
        ["--meta", "a=b"], ["--at", "3"], ["--live"], ["--duration", "3"], ["--rate", "2"], ["--subtitles", "u"],
        ["--repeat", "all"], ["--credentials", "c"], ["--autoplay"], ["--no-autoplay"],
    ])
    func anEntityRefusesWhatItWouldDrop(_ option: [String]) throws {
        let load = ["cast", "load", "hall", "--entity", "x"]
        let error = #expect(throws: (any Error).self) { try Castway.parseAsRoot(load + option) }
        #expect(error.map { Castway.message(for: $0) }?.contains("does not go with \(option[0])") == true)
        let command = try Castway.parseAsRoot(load + ["--custom-data", "[1]", "--app", "ABCD1234"]) as? LoadCommand
        #expect(command?.command.body["entity"] == "x" && command?.command.body["customData"] == [1])
        #expect(command?.app == "ABCD1234")
    }

    @Test func theKindAloneIsMetadata() throws {
        let command =
            try Castway.parseAsRoot(["cast", "load", "hall", "http://x/u.mp4", "--kind", "tv"]) as? LoadCommand
        let load = LoadRequest(json: try #require(command?.command.body))
        #expect(load.media?.metadata?.metadataType == .tvShow)
    }

    @Test(arguments: [("u", nil, "u"), ("de=u", "de", "u"), ("http://x?a=b", nil, "http://x?a=b")])
    func subtitleFiles(text: String, language: String?, url: String) {
        let file = SubtitleFile(argument: text)
        #expect(file?.language == language && file?.url == url)
    }

    @Test func namesInTheConfigurationAreDevices() {
        var configuration = GatewayConfiguration {
            $0.virtualDevices = [
                VirtualDeviceConfiguration(
                    name: "hall", listen: ListenAddress(host: "0.0.0.0", port: 8010), target: .local
                ) { $0.friendlyName = "The Hall" }
            ]
        }
        configuration.discovery.staticDevices = [
            StaticDevice(name: "Kitchen", address: DialAddress(host: "192.0.2.7", port: 8009))
        ]
        #expect(ConfiguredDevices.find("kitchen", in: configuration) == CastPlace(host: "192.0.2.7", port: 8009))
        #expect(ConfiguredDevices.find("the hall", in: configuration) == CastPlace(host: "127.0.0.1", port: 8010))
        #expect(ConfiguredDevices.find("attic", in: configuration) == nil)
    }

    @Test(arguments: [
        ("0.4", 0.4), ("40%", 0.4), ("40", 0.4), ("1%", 0.01), ("1.0", 1), ("0", 0), ("100%", 1), ("100", 1),
        ("+5%", 0.55), ("-5%", 0.45), ("+5", 0.55), ("-0.1", 0.4), ("+0.1", 0.6), ("+80", 1), ("-80%", 0),
        ("+1%", 0.51), ("up", 0.55), ("down", 0.45),
    ])
    func volumes(text: String, value: Double) throws {
        let command = try Castway.parseAsRoot(["cast", "volume", "hall", text]) as? VolumeCommand
        #expect(command?.levels.first?.level(from: 0.5) == value)
    }

    @Test func aChangeNeedsTheLevel() throws {
        #expect(try VolumeArgument("+5%").level(from: nil) == nil)
        #expect(try VolumeArgument("5%").level(from: nil) == 0.05)
    }

    @Test(arguments: ["101", "101%", "+101%", "loud", "%", "+", "-%", "nan", "1e1", "", "5 %", "++5"])
    func noVolumes(text: String) {
        #expect(throws: ValidationError.self) { try VolumeArgument(text) }
    }

    @Test(arguments: ["1", "+1", "-1"])
    func aBareOneIsAmbiguous(text: String) {
        let error = #expect(throws: ValidationError.self) { try VolumeArgument(text) }
        #expect(error?.message.contains("could be 1 % or 100 %") == true)
    }

    @Test(arguments: [
        ("http://192.0.2.9/one.mp4", "video/mp4"), ("http://192.0.2.9/a/ONE.MP3?x=.webm#y", "audio/mpeg"),
        ("http://192.0.2.9/live.m3u8", "application/x-mpegURL"),
    ])
    func mediaTypes(url: String, type: String) {
        #expect(MediaType(ofURL: url)?.name == type)
    }

    @Test(arguments: ["http://192.0.2.9/one", "http://192.0.2.9/one.txt", ""])
    func unknownMediaTypes(url: String) {
        #expect(MediaType(ofURL: url) == nil)
    }

    @Test(arguments: [(0.0, "0:00"), (72.9, "1:12"), (3723, "1:02:03"), (-1, "?"), (.infinity, "?")])
    func clocks(seconds: Double, text: String) {
        #expect(Duration.clock(seconds) == text)
    }

    @Test func whatADeviceSaysMovesNoCursor() throws {
        let app = ReceiverApplication(
            appID: "CC1AD845", displayName: "One\u{1B}[2J\nTwo", sessionID: "s", namespaces: [])
        let block = StatusBlock(
            address: .place(CastPlace(host: "hall", port: 8009)), volume: nil, application: app, media: nil)
        #expect(block.lines == ["device  hall:8009", "app     One\u{FFFD}[2J\u{FFFD}Two (CC1AD845)"])
    }
}
