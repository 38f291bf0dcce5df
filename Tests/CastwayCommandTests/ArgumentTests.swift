import ArgumentParser
import CastWire
import Testing

@testable import castway

@Suite struct ArgumentTests {
    @Test(arguments: [
        ("hall.lan", "hall.lan", 8009), ("127.0.0.1:8010", "127.0.0.1", 8010), ("[::1]:8010", "::1", 8010),
        ("::1", "::1", 8009), ("[fe80::1%eth0]", "fe80::1%eth0", 8009),
    ])
    func addresses(text: String, host: String, port: Int) {
        let address = CastAddress(argument: text)
        #expect(address?.host == host)
        #expect(address?.port == port)
    }

    @Test(arguments: ["", ":8009", "hall:", "hall:0", "hall:65536", "hall:x", "[::1", "[::1]x", "a b", "http://x"])
    func noAddresses(text: String) {
        #expect(CastAddress(argument: text) == nil)
    }

    @Test(arguments: [
        (["cast", "hall", "load", "u", "--live"], ["cast", "load", "hall", "u", "--live"]),
        (["cast", "hall", "--json", "status"], ["cast", "status", "hall", "--json"]),
        (["cast", "load", "hall", "u"], ["cast", "load", "hall", "u"]), (["cast", "hall"], ["cast", "hall"]),
        (["cast", "help", "load"], ["cast", "help", "load"]), (["run", "x", "load"], ["run", "x", "load"]),
        (["cast", "--help", "load"], ["cast", "--help", "load"]),
    ])
    func theCommandMayFollowTheHost(arguments: [String], expected: [String]) {
        #expect(CastCommand.commandFirst(arguments) == expected)
    }

    @Test(arguments: [("90", 90.0), ("+10", 30), ("-10", 10), ("-50", 0), ("0", 0)])
    func positions(text: String, seconds: Double) throws {
        let command = try Castway.parseAsRoot(["cast", "seek", "hall", text]) as? SeekCommand
        #expect(command?.position.first?.seconds(from: 20) == seconds)
    }

    @Test(arguments: [("0.4", 0.4), ("40%", 0.4), ("1", 1), ("0", 0), ("100%", 1)])
    func volumes(text: String, value: Double) {
        #expect(VolumeLevel(argument: text)?.value == value)
    }

    @Test(arguments: ["40", "-0.1", "101%", "loud", "%", "nan"])
    func noVolumes(text: String) {
        #expect(VolumeLevel(argument: text) == nil)
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
        #expect(StatusBlock.clock(seconds) == text)
    }

    @Test func whatADeviceSaysMovesNoCursor() throws {
        let app = ReceiverApplication(
            appID: "CC1AD845", displayName: "One\u{1B}[2J\nTwo", sessionID: "s", namespaces: [])
        let block = StatusBlock(
            address: try #require(CastAddress(argument: "hall")), volume: nil, application: app, media: nil)
        #expect(block.lines == ["device  hall:8009", "app     One\u{FFFD}[2J\u{FFFD}Two (CC1AD845)"])
    }
}
