import CastWire
import Foundation
import NIOCore
import PluginKit
import Testing

/// A plugin as a process. Each test blocks its thread while it reads, so one runs at a time: all other suites share the few threads.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ProgramTests {
    private static let cookie = ["CASTWAY_PLUGIN_COOKIE": "1", "CASTWAY_PLUGIN_ID": "subject"]

    private func message(_ id: Int, _ json: JSONObject) -> GatewayLine { SessionBench.message(id, json) }

    @Test func byHandItSaysWhatItIs() throws {
        let subject = try SubjectProcess([:])
        let (code, text) = try subject.ending()
        #expect(code == 64)
        #expect(text.contains("This is a plugin of Castway"))
        #expect(text.contains("castway plugin test"))
    }

    @Test func printingAndReadingDoNotTouchTheWire() throws {
        let subject = try SubjectProcess(Self.cookie)
        try subject.begin()
        try subject.write(self.message(1, ["type": "PRINT"]), self.message(2, ["type": "NEXT"]))
        #expect(try subject.verdict() == .reply(["type": "PRINTED", "read": "nothing"]))
        #expect(try subject.verdict() == .reply(["type": "NEXT"]))
        try subject.write(.shutdown(3))
        #expect(try subject.read() == .response(RPCResponse(3)))
        #expect(try subject.read() == nil)
        let (code, text) = try subject.ending()
        #expect(code == 0)
        #expect(text == "something that was printed\n")
    }

    @Test func theMainActorIsFree() throws {
        let subject = try SubjectProcess(Self.cookie)
        try subject.begin()
        try subject.write(self.message(1, ["type": "ON_MAIN"]))
        #expect(try subject.verdict() == .reply(["type": "ON_MAIN", "answer": 42]))
    }

    @Test func theEndOfItsInputIsItsEnd() throws {
        for isBegun in [false, true] {
            let subject = try SubjectProcess(Self.cookie)
            if isBegun { try subject.begin() }
            try subject.write(ByteBuffer(string: #"{"jsonrpc":"2.0","id":1,"met"#))
            subject.hangUp()
            #expect(try subject.read() == nil)
            #expect(try subject.ending().code == 0)
        }
    }

    @Test func aConfigurationThatMakesNoSenseIsCode78() throws {
        let subject = try SubjectProcess(Self.cookie)
        try subject.write(SessionBench.initialize(["works": false], testTime: nil))
        guard case .response(let response)? = try subject.read(), case .failure(let error) = response.outcome else {
            Issue.record("no error")
            return
        }
        #expect(error.configurationProblems == [ConfigurationProblem(path: "/works", message: "should be true")])
        #expect(try subject.ending().code == 78)
    }

    /// Everything is written before anything is read: 3 MB each way, through sockets that hold a fraction of it.
    @Test func twoWithMuchToSayDoNotWaitForEachOther() throws {
        let subject = try SubjectProcess(Self.cookie)
        try subject.begin()
        let text: JSONValue = .string(String(repeating: "\"", count: 20_000))
        for id in 1...40 { try subject.write(self.message(id, ["type": "MUCH", "text": text])) }
        for _ in 1...40 { #expect(try subject.verdict() == .reply(["type": "MUCH", "text": text])) }
    }

    @Test func itConnectsToASocketWhenItIsTold() throws {
        let path = NSTemporaryDirectory() + "castway-\(UUID().uuidString.prefix(8)).sock"
        let listener = try #require(Self.listen(path))
        defer {
            close(listener)
            unlink(path)
        }
        SubjectProcess.limit(listener)
        let subject = try SubjectProcess(["CASTWAY_CONNECT": path])
        let accepted = accept(listener, nil, nil)
        try #require(accepted >= 0)
        subject.take(accepted)
        try subject.begin()
        try subject.write(self.message(1, ["type": "A"]))
        #expect(try subject.verdict() == .reply(["type": "A"]))
        try subject.write(.shutdown(2))
        #expect(try subject.read() == .response(RPCResponse(2)))
        #expect(try subject.ending().code == 0)
    }

    @Test func aSocketThatIsNotThereIsSaid() throws {
        let subject = try SubjectProcess(["CASTWAY_CONNECT": "/nowhere/castway.sock"])
        let (code, text) = try subject.ending()
        #expect(code == 71)
        #expect(text.contains("cannot connect to /nowhere/castway.sock"))
    }

    private static func listen(_ path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, Glibc.listen(descriptor, 1) == 0 else { return nil }
        return descriptor
    }
}
