import CastwayTestSupport
import Foundation
import FuzzTargets
import Testing

/// Runs every input of the corpora through the targets that fuzzing uses.
@Suite struct FuzzReplayTests {
    @Test(.timeLimit(.minutes(5)), arguments: FuzzTargets.all.map { $0.name })
    func everythingHolds(_ name: String) throws {
        let target = try #require(FuzzTargets.named(name))
        let inputs = try Corpus(of: name).inputs
        #expect(inputs.count >= 5, "the corpus of \(name) is all but empty")
        for input in inputs {
            #expect(throws: Never.self, "\(input.name)") { try target.run(input.bytes) }
        }
    }

    @Test func everyCorpusHasATarget() throws {
        #expect(try Corpus.targets() == Set(FuzzTargets.all.map { $0.name }))
    }

    /// libFuzzer starts from the same inputs: both readers of an archive's notation agree.
    @Test(.timeLimit(.minutes(1)), arguments: ["frame-decoder", "json", "relay-sequence"])
    func theScriptUnpacksTheSameInputs(_ name: String) throws {
        let folder = try TemporaryFolder()
        let script = Process()
        script.executableURL = Corpus.folder.appending(path: "../../../Scripts/corpus.sh")
        script.arguments = ["unpack", name, folder.path]
        try script.run()
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        let unpacked = try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
            [UInt8](try Data(contentsOf: URL(filePath: folder.file($0))))
        }
        let inputs = try Corpus(of: name).inputs.map(\.bytes)
        #expect(unpacked.count == inputs.count)
        #expect(Set(unpacked) == Set(inputs))
    }

    /// The checks of the sequences can fail: the corpus finds each fault of a broken receiver.
    @Test(.timeLimit(.minutes(5)), arguments: Sabotage.allCases)
    func sabotageIsFound(_ sabotage: Sabotage) throws {
        let isFound = try Corpus(of: ReceiverSequenceTarget.name).inputs.contains { input in
            do {
                try ReceiverSequenceTarget.run(input.bytes, sabotage: sabotage)
                return false
            } catch is Violation {
                return true
            }
        }
        #expect(isFound, "no sequence noticed \(sabotage)")
    }
}
