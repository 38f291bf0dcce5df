import Testing

/// Compares the codec with what SwiftProtobuf read.
@Suite struct CodecVectorTests {
    @Test(arguments: CodecVectors.allCases) func castwayReadsWhatTheOracleReads(_ vectors: CodecVectors) throws {
        let all = try vectors.read()
        #expect(all.count >= 400)
        for vector in all {
            let ours = vectors.verdict(on: vector.bytes)
            switch vector.verdict {
            case CodecVectors.Verdict.version: break
            case CodecVectors.Verdict.stricter: #expect(ours == CodecVectors.Verdict.refused, "\(vector)")
            default: #expect(ours == vector.verdict, "\(vector)")
            }
        }
        #expect(Set(all.map(\.verdict)).count > all.count / 4)
    }
}
