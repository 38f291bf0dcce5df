import CastWire
import Testing

/// `Docs/bridge-your-app.md`, followed word by word with the built program, a real Mosquitto and the guide's own back end.
@Suite(.timeLimit(.minutes(10))) struct BridgeGuideTests {
    @Test func theGuideWorksAsItStands() async throws {
        let output = try await PythonProgram("bridge_guide.py").run()
        let line = try #require(output.split(separator: "\n").last)
        let summary = try #require(try JSONReader.read(String(line)).objectValue)
        #expect(try #require(summary.int("files")) == 3)
        #expect(try #require(summary.int("commands")) >= 30)
        #expect(try #require(summary.int("lines")) >= 30)
    }
}
