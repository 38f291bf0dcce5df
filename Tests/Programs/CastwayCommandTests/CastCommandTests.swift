import BuiltInReceiver
import CastWire
import CastwayTestSupport
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

@Suite(.timeLimit(.minutes(3))) struct CastCommandTests {
    private static let url = "http://192.0.2.9/one.mp4"

    /// Runs `castway cast` against the hall.
    private struct Hall: Sendable {
        let port: Int

        func callAsFunction(_ arguments: String...) async throws -> CastwayProcess.Result {
            await (try CastwayProcess(["cast", "127.0.0.1:\(self.port)"] + arguments)).result()
        }
    }

    private static func withHall(_ body: @escaping @Sendable (_ cast: Hall) async throws -> Void) async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            try await body(Hall(port: gateway.ports["hall"] ?? 0))
        }
    }

    @Test func mediaIsLoadedPausedAndSought() async throws {
        try await Self.withHall { cast in
            let loaded = try await cast("load", Self.url, "--title", "One", "--at", "30", "--no-autoplay")
            #expect(loaded.status == 0)
            #expect(loaded.output.contains("state   PAUSED 0:30 of 10:00\ntitle   One\nmedia   \(Self.url)\n"))
            #expect(try await cast("seek", "+10").output.contains("state   PAUSED 0:40"))
            #expect(try await cast("seek", "-20").output.contains("state   PAUSED 0:20"))
            #expect(try await cast("seek", "90").output.contains("state   PAUSED 1:30"))
            #expect(try await cast("play").output.contains("state   PLAYING 1:3"))
            #expect(try await cast("pause").output.contains("state   PAUSED 1:3"))
            let status = try await cast("status")
            #expect(status.status == 0)
            #expect(status.output.contains("(CC1AD845)"))
            #expect(status.output.contains("title   One"))
            let json = try await cast("--json")
            let lines = try json.output.split(separator: "\n").map { try JSONReader.read(String($0)).objectValue }
            #expect(lines.map { $0?.string("type") } == ["RECEIVER_STATUS", "MEDIA_STATUS"])
            #expect(try await cast("stop").status == 0)
            let nothing = try await cast("pause")
            #expect(nothing.status == 76)
            #expect(nothing.errors == "castway: nothing is loaded\n")
            #expect(try await cast("quit").output.contains("app     none"))
            #expect(try await cast("play").errors == "castway: no app runs that plays media\n")
            #expect(try await cast("quit").status == 76)
        }
    }

    @Test func aQueueIsBuiltAndChanged() async throws {
        try await Self.withHall { cast in
            let loaded = try await cast(
                "load", "http://192.0.2.9/1.mp3", "http://192.0.2.9/2.mp3", "--title", "One", "--repeat", "all")
            #expect(loaded.output.contains("title   One"))
            let added = try await cast("add", "http://192.0.2.9/3.mp3", "--title", "Three")
            #expect(added.status == 0)
            let queue = try await cast("queue")
            #expect(queue.output.split(separator: "\n").count == 4)
            #expect(queue.output.contains("Three"))
            let lines = try await cast("queue", "--json").output.split(separator: "\n")
            let ids = try lines.compactMap { try JSONReader.read(String($0)).objectValue?.int("itemId") }
            #expect(ids.count == 3)
            #expect(try await cast("jump", "\(ids[2])").output.contains("title   Three"))
            #expect(try await cast("next").output.contains("title   One"))
            #expect(try await cast("move", "\(ids[2])", "--before", "\(ids[0])").status == 0)
            #expect(try await cast("remove", "\(ids[1])").status == 0)
            #expect(try await cast("repeat", "single").status == 0)
            #expect(try await cast("shuffle").status == 0)
            #expect(try await cast("queue", "--json").output.split(separator: "\n").count == 2)
            let refused = try await cast("jump", "9999")
            #expect(refused.status == 76)
            #expect(refused.errors == "castway: the device refuses: INVALID_REQUEST, INVALID_PARAMS\n")
        }
    }

    @Test func tracksTextAndRateAreChosen() async throws {
        try await Self.withHall { cast in
            _ = try await cast("load", Self.url, "--subtitles", "de=http://192.0.2.9/de.vtt")
            #expect(try await cast("tracks").output.contains(">  1"))
            #expect(try await cast("tracks", "--no-text").status == 0)
            #expect(!(try await cast("tracks").output.contains(">")))
            #expect(try await cast("tracks", "--text", "de").status == 0)
            #expect(try await cast("tracks").output.contains(">  1"))
            let style = try await cast("text-style", "--scale", "1.5", "--color", "#FFFF00", "--json")
            #expect(style.output.contains("#FFFF00FF"))
            #expect(try await cast("rate", "2", "--json").output.contains(#""playbackRate":2"#))
            #expect(try await cast("stream-volume", "25%", "--json").output.contains(#""level":0.25"#))
            let tooFast = try await cast("rate", "0")
            #expect(tooFast.status == 64)
            let noAd = try await cast("skip-ad")
            #expect(noAd.status == 76)
        }
    }

    @Test func aDeviceIsCalledByItsName() async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            try await TemporaryFolder.with { folder in
                try folder.writeConfiguration(port: gateway.port("hall"))
                let file = folder.file("gateway.yaml")
                let result = try await CastwayProcess.run(
                    "cast", "--device", "great hall", "--config", file, "volume", "40%")
                #expect(result.output.hasPrefix("device  great hall\nvolume  40 %\n"))
                let nobody = try await CastwayProcess.run(
                    "cast", "--device", "Attic", "--config", file, "--timeout", "0.2")
                #expect(nobody.status == 69)
            }
        }
    }

    @Test func playbackMovesToAnotherDevice() async throws {
        try await RunningGateway.with(.hallAndOffice) { first in
            try await RunningGateway.with(.hallAndOffice) { second in
                let hall = "127.0.0.1:\(first.port("hall"))"
                let other = "127.0.0.1:\(second.port("hall"))"
                _ = try await CastwayProcess.run(
                    "cast", hall, "load", "http://192.0.2.9/1.mp3", "http://192.0.2.9/2.mp3", "--title", "One", "--at",
                    "30")
                let moved = try await CastwayProcess.run("cast", hall, "transfer", other)
                #expect(moved.status == 0)
                #expect(moved.output.hasPrefix("device  \(other)\n"))
                let there = try await CastwayProcess.run("cast", other)
                #expect(there.output.contains("PLAYING 0:3") && there.output.contains("title   One"))
                #expect(try await CastwayProcess.run("cast", hall).output.contains("app     none"))
                let queue = try await CastwayProcess.run("cast", other, "queue", "--json")
                #expect(queue.output.split(separator: "\n").count == 2)
                let nothing = try await CastwayProcess.run("cast", hall, "transfer", other)
                #expect(nothing.status == 76)
            }
        }
    }

    @Test func positionsAreWatched() async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            let address = "127.0.0.1:\(gateway.port("hall"))"
            _ = try await CastwayProcess.run("cast", address, "load", Self.url, "--at", "30")
            let watcher = try CastwayProcess(["cast", address, "watch", "--positions", "0.1"])
            _ = await watcher.wait(for: "position PLAYING 0:3")
            watcher.interrupt()
            #expect(await watcher.result().status == 0)
        }
    }

    @Test func volumeIsSet() async throws {
        try await Self.withHall { cast in
            let set = try await cast("volume", "40%")
            #expect(set.output.contains("volume  40 %\n"))
            #expect(try await cast("volume", "+5%").output.contains("volume  45 %\n"))
            #expect(try await cast("volume", "-0.1").output.contains("volume  35 %\n"))
            #expect(try await cast("volume", "40").output.contains("volume  40 %\n"))
            #expect(try await cast("mute").output.contains("volume  40 %, muted\n"))
            #expect(try await cast("unmute", "--json").output.contains(#""muted":false"#))
        }
    }

    @Test func aFixedVolumeIsRefused() async throws {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.virtualDevices[0].volume.control = .fixed
        try await RunningGateway.with(configuration) { gateway in
            let cast = Hall(port: gateway.port("hall"))
            for command in [["volume", "30"], ["volume", "+5%"], ["mute"], ["unmute"]] {
                let result = try await CastwayProcess(["cast", "127.0.0.1:\(cast.port)"] + command).result()
                #expect(result.status == 76, "\(command)")
                #expect(result.errors.hasPrefix("castway: the volume of this device is fixed"), "\(command)")
            }
            #expect(try await cast("status").output.contains("volume  50 %, fixed\n"))
        }
    }

    @Test func theStreamsVolumeIsChangedToo() async throws {
        try await Self.withHall { cast in
            _ = try await cast("load", Self.url)
            #expect(try await cast("stream-volume", "40").status == 0)
            #expect(try await cast("stream-volume", "-10%", "--json").output.contains(#""level":0.3"#))
        }
    }

    @Test func messagesAreSent() async throws {
        try await Self.withHall { cast in
            let namespace = "urn:x-cast:com.example.echo"
            let nobody = try await cast("send", namespace, #"{"a":1}"#)
            #expect(nobody.status == 76)
            let answered = try await cast("send", namespace, #"{ "a": [1, 2] }"#, "--app", "ABCD1234", "--answer")
            #expect(answered.status == 0)
            #expect(answered.output == #"{"a":[1,2]}"# + "\n")
            let sent = try await cast("send", namespace, #"{"a":1}"#)
            #expect(sent.status == 0)
            #expect(sent.output == "")
            let status = try await cast("send", "urn:x-cast:com.google.cast.receiver", #"{"type":"GET_STATUS"}"#)
            #expect(status.output.contains(#""type":"RECEIVER_STATUS""#))
        }
    }

    @Test func refusalsAndTimeoutsHaveTheirStatus() async throws {
        try await Self.withHall { cast in
            let broken = try await cast("load", "http://192.0.2.9/broken.mp4")
            #expect(broken.status == 76)
            #expect(broken.errors == "castway: the app cannot play this: MEDIA_SRC_NOT_SUPPORTED (104)\n")
            let refused = try await cast("launch", "00000001")
            #expect(refused.status == 76)
            let waiting = "castway: waiting for the user to allow it on the device\n"
            #expect(refused.errors == waiting + "castway: the device does not launch app 00000001: USER_NOT_ALLOWED\n")
            let silent = try await cast("launch", "00000002", "--timeout", "0.5")
            #expect(silent.status == 75)
            #expect(silent.errors == "castway: no answer to LAUNCH within 0.5 s\n")
            #expect(try await cast("launch", "ABCD1234").output.contains("(ABCD1234)"))
        }
    }

    @Test func nobodyThereIs69() async throws {
        let port = try FreePort.next()
        let result = try await CastwayProcess.run("cast", "127.0.0.1:\(port)", "status")
        #expect(result.status == 69)
        #expect(result.errors == "castway: cannot reach 127.0.0.1:\(port): Connection refused\n")
    }

    @Test func aDeviceThatSpeaksNoTLSIs69() async throws {
        try await SilentServer.with { port in
            let result = try await CastwayProcess.run("cast", "127.0.0.1:\(port)", "--timeout", "0.5")
            #expect(result.status == 69)
            #expect(result.errorLines.count == 1)
        }
    }

    @Test(arguments: [true, false])
    func changesAreWatched(isJSON: Bool) async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            let address = "127.0.0.1:\(gateway.ports["hall"] ?? 0)"
            let watcher = try CastwayProcess(["cast", address, "watch"] + (isJSON ? ["--json"] : []))
            _ = await watcher.wait(for: isJSON ? "RECEIVER_STATUS" : "no app\n")
            _ = try await CastwayProcess.run("cast", address, "load", Self.url, "--title", "One")
            let seen = await watcher.wait(for: isJSON ? #""playerState":"PLAYING""# : "PLAYING")
            #expect(seen.contains(isJSON ? "MEDIA_STATUS" : "One"))
            watcher.interrupt()
            #expect(await watcher.result().status == 0)
        }
    }
}
