import Foundation
import FuzzTargets
import Testing

/// Plays every file of the corpora through the targets that fuzzing uses.
@Suite struct FuzzReplayTests {
    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Corpus")

    private static func files(of target: any FuzzTarget.Type) throws -> [URL] {
        let folder = Self.corpora.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }

    @Test(.timeLimit(.minutes(5)), arguments: FuzzTargets.all.map { $0.name })
    func everythingHolds(_ name: String) throws {
        let target = try #require(FuzzTargets.named(name))
        let files = try Self.files(of: target)
        #expect(files.count >= 5, "the corpus of \(name) is all but empty")
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.run(input) }
        }
    }

    @Test func everyCorpusHasATarget() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(Set(folders) == Set(FuzzTargets.all.map { $0.name }))
    }

    /// The checks of the sequences can fail: the corpus finds whatever a broken receiver does.
    @Test(.timeLimit(.minutes(5)), arguments: Sabotage.allCases)
    func sabotageIsFound(_ sabotage: Sabotage) throws {
        let isFound = try Self.files(of: ReceiverSequenceTarget.self).contains { file in
            let input = [UInt8](try Data(contentsOf: file))
            do {
                try ReceiverSequenceTarget.run(input, sabotage: sabotage)
                return false
            } catch is Violation {
                return true
            }
        }
        #expect(isFound, "no sequence noticed \(sabotage)")
    }
}
