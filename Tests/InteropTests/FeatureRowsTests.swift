import CastWire
import Testing

/// The rows of the feature list that are on record as working, shown by `Tests/Features` as `make features` shows them.
@Suite(.timeLimit(.minutes(10))) struct FeatureRowsTests {
    @Test func whatIsOnRecordAsWorkingIsShownToWork() async throws {
        let output = try await PythonProgram("features.py").run()
        let line = try #require(output.split(separator: "\n").last)
        let summary = try #require(try JSONReader.read(String(line)).objectValue)
        #expect(try #require(summary.int("shown")) >= 260)
        #expect(summary.int("failed") == 0)
    }
}
