import Foundation

/// The inputs kept for one fuzz target: seeds with telling names, and what libFuzzer chose beside them.
///
/// The seeds are the files of `Tests/Fuzzing/Corpus/TARGET`. What libFuzzer chose is `Tests/Fuzzing/Corpus/TARGET.txt`, an
/// input a line: printable ASCII stands for itself, `\\` for a backslash and `\xNN` for every other byte.
/// `Scripts/corpus.sh` writes and unpacks it.
struct Corpus {
    /// One input, and where it is written.
    struct Input {
        /// The seed's file name, or `TARGET.txt:LINE`.
        let name: String
        let bytes: [UInt8]
    }

    /// A line of an archive that `Scripts/corpus.sh pack` cannot have written.
    struct Malformed: Error {
        let line: String
    }

    /// Every input: the seeds by name, then the archive's lines.
    let inputs: [Input]

    /// Where the corpora are.
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Corpus")

    /// Reads the corpus of a target.
    init(of target: String) throws {
        let files = FileManager.default
        let seeds = Self.folder.appending(path: target)
        var inputs: [Input] = []
        if files.fileExists(atPath: seeds.path) {
            inputs = try files.contentsOfDirectory(at: seeds, includingPropertiesForKeys: nil)
                .sorted { $0.path < $1.path }
                .map { Input(name: $0.lastPathComponent, bytes: [UInt8](try Data(contentsOf: $0))) }
        }
        let archive = Self.folder.appending(path: "\(target).txt")
        if files.fileExists(atPath: archive.path) {
            let lines = try Data(contentsOf: archive).split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // The last line ends with a line feed too.
            inputs += try lines.dropLast().enumerated().map { index, line in
                Input(name: "\(target).txt:\(index + 1)", bytes: try Self.decoded(Array(line)))
            }
        }
        self.inputs = inputs
    }

    /// The targets that have seeds or an archive.
    static func targets() throws -> Set<String> {
        Set(
            try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
                .map { $0.hasSuffix(".txt") ? String($0.dropLast(4)) : $0 })
    }

    private static func decoded(_ line: [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = line[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\\"):
                bytes.append(byte)
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2
                else { throw Malformed(line: String(decoding: line, as: UTF8.self)) }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default:
                throw Malformed(line: String(decoding: line, as: UTF8.self))
            }
        }
        return bytes
    }
}
