import PluginKit
import PluginTesting
import Testing

/// The suite passes what is right, and says what is wrong.
@Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
    @Test func aPluginThatIsRightKeepsAll() async throws {
        let results = try await WrongPlugin.results("nothing")
        #expect(results.count == ConformanceCase.all.count)
        #expect(results.count >= 30)
        for result in results where result.outcome != .kept {
            Issue.record("\(result.name): \(result.outcome) \(result.errors)")
        }
        #expect(Set(results.map(\.name)).count == results.count)
    }

    /// A fault, a case that finds it, and words that help.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let finder: String
        let words: [String]

        init(_ name: String, _ finder: String, _ words: String...) {
            self.name = name
            self.finder = finder
            self.words = words
        }

        var testDescription: String { self.name }
    }

    static let faults = [
        Fault(
            "cannot-start", "handshake", "closed its output instead of answering initialize", "exited with status 1",
            "no such luck"),
        Fault("no-newline", "handshake", "did not answer initialize", "without a newline", "Flush"),
        Fault("pretty-printed", "handshake", "it is no JSON", "{"),
        Fault("in-a-batch", "handshake", "no object; there are no batches"),
        Fault("no-jsonrpc-member", "handshake", "it lacks \"jsonrpc\":\"2.0\""),
        Fault("other-id", "handshake", "another; plugin.yaml says wrong"),
        Fault("other-version", "handshake", "2.0.0; plugin.yaml says 1.0.0"),
        Fault("claims-more", "handshake", "urn:x-cast:com.google.cast.media", "may only narrow"),
        Fault("next-id", "handshake", "answered a request with the id 2"),
        Fault("ids-as-text", "handshake", "the id \"1\""),
        Fault("prints", "handshake", "ready!"),
        Fault("feels-fine", "handshake", "the status \"fine\""),
        Fault("answers-twice", "handshake", "answered a request with the id 1"),
        Fault("newest-protocol", "version-range", "chose protocol 99; plugin.yaml says that it speaks 1 to 1"),
        Fault("any-protocol", "version-unknown", "protocols 1000 to 1001 only"),
        Fault("strict-members", "unknown-members", "refused initialize: unknown members"),
        Fault("wrong-verdict", "verdict", "decided rewrite in the phase handle, which does not allow it"),
        Fault(
            "emits-unasked", "verdict", "wants what its plugin.yaml does not ask for", "the event 'wrong.seen'"),
        Fault("unknown-verdict", "verdict", "'maybe' is none of"),
        Fault("knows-everything", "unknown-method", "with the result {}", "-32601"),
        Fault("silent-about-unknown", "unknown-method", "did not answer future.method"),
        Fault("own-codes", "unknown-method", "with 404"),
        Fault("answers-notifications", "unknown-notification", "an answer with the id null", "never answered"),
        Fault("small-ids", "numeric-ids", "9007199254740991"),
        Fault("ids-as-numbers", "text-ids", "the id 7"),
        Fault("trusts-answers", "stray-answers", "closed its output", "KeyError"),
        Fault("short-lines", "payload-64k", "did not answer message", "1 MiB"),
        Fault("text-only", "payload-binary", "closed its output", "payloadB64"),
        Fault("latin-1", "payload-escapes", "it is no UTF-8"),
        Fault("needs-a-type", "payload-foreign", "closed its output", "KeyError"),
        Fault("drops-crowds", "in-flight", "did not answer one of 32 messages"),
        Fault("a-read-is-a-line", "pipelined", "did not answer one of eight", "Split at newlines"),
        Fault("dies-of-nonsense", "malformed-line", "closed its output", "JSONDecodeError"),
        Fault("takes-batches", "batch", "carried out what came in a batch"),
        Fault("exits-at-reload", "reload", "closed its output instead of answering reload", "status 1"),
        Fault("late-at-drain", "drain", "answered drain while messages were still under way"),
        Fault("stays", "shutdown", "still runs", "exit with 0"),
        Fault("exits-with-1", "shutdown", "exited with status 1 after shutdown"),
        Fault("outlives", "end-of-input", "still runs"),
        Fault("exits-with-1-at-the-end", "end-of-input", "exited with status 1"),
    ]

    @Test(arguments: Self.faults) func aFaultIsFoundAndExplained(_ fault: Fault) async throws {
        let result = try #require(
            try await WrongPlugin.results(fault.name, only: [fault.finder], patience: .seconds(4)).first)
        guard case .broken(let text) = result.outcome else {
            Issue.record("\(fault.finder) does not find \(fault.name): \(result.outcome)")
            return
        }
        let said = ([text, result.advice] + result.errors).joined(separator: "\n")
        for words in fault.words { #expect(said.contains(words), "\(said)") }
        #expect(result.advice.count > 20)
    }

    @Test func aFilterMayReply() async throws {
        let result = try await WrongPlugin.results("text-only", phase: .filter, only: ["verdict"]).first
        #expect(result?.outcome == .kept)
    }

    @Test func withoutAHandshakeNothingElseIsTried() async throws {
        let results = try await WrongPlugin.results("cannot-start")
        #expect(results.map(\.name) == ["handshake"])
    }
}
