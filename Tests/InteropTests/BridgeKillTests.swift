import CastWire
import Testing

/// Gateway, broker and back end are killed while messages are under way, in some of the orders that `make bridge-kills` has all of.
@Suite(.timeLimit(.minutes(10))) struct BridgeKillTests {
    @Test func whatWasTakenArrivesInItsOrder() async throws {
        let output = try await PythonProgram("bridge_kills.py").run()
        let line = try #require(output.split(separator: "\n").last)
        let summary = try #require(try JSONReader.read(String(line)).objectValue)
        #expect(try #require(summary.int("cases")) >= 7)
        #expect(try #require(summary.int("taken")) >= 3000)
        #expect(summary.int("lost") == 0 && summary.int("out_of_order") == 0)
    }
}
