import NIOCore
import PluginKit
import Testing

@Suite struct LineSplitterTests {
    private func pieces(_ chunks: [String], maximum: Int = 16) -> [String] {
        var splitter = LineSplitter(maximumLength: maximum)
        var found: [String] = []
        for chunk in chunks {
            splitter.append(ByteBuffer(string: chunk))
            while let piece = splitter.next() { found.append(Self.text(piece)) }
        }
        if let piece = splitter.finish() { found.append("end " + Self.text(piece)) }
        return found
    }

    private static func text(_ piece: LineSplitter.Piece) -> String {
        switch piece {
        case .line(let line): String(buffer: line)
        case .oversized(let length): "oversized \(length)"
        }
    }

    @Test func linesComeWholeHoweverTheyArrive() {
        #expect(self.pieces(["one\ntwo\n", "thr", "ee", "\nfo", "ur\n"]) == ["one", "two", "three", "four"])
        #expect(self.pieces("one\ntwo\n".map { String($0) }) == ["one", "two"])
    }

    @Test func emptyLinesAreLeftOut() {
        #expect(self.pieces(["\n\none\n\n"]) == ["one"])
    }

    @Test func halfALineIsToldAtTheEnd() {
        #expect(self.pieces(["one\ntw"]) == ["one", "end tw"])
        #expect(self.pieces(["one\n"]) == ["one"])
    }

    @Test func aLineOfTheLimitIsALine() {
        let line = String(repeating: "x", count: 16)
        #expect(self.pieces([line + "\n" + line + "y\nnext\n"]) == [line, "oversized 17", "next"])
    }

    @Test func afterAnOversizedLineTheNextIsWhole() {
        let part = String(repeating: "x", count: 10)
        #expect(self.pieces([part, part, part, part + "\nnext\n"]) == ["oversized 40", "next"])
        #expect(self.pieces([part, part, "\nnext\n"]) == ["oversized 20", "next"])
        #expect(self.pieces([part, part, part]) == ["end oversized 30"])
    }

    @Test func whatIsSkippedIsNotKeptAndIsCounted() {
        var splitter = LineSplitter(maximumLength: 16)
        for count in 1...1_000 {
            splitter.append(ByteBuffer(repeating: 0x78, count: 100))
            #expect(splitter.next() == nil)
            #expect(splitter.unfinishedLength == count * 100)
        }
        splitter.append(ByteBuffer(string: "\n"))
        #expect(splitter.next() == .oversized(100_000))
        #expect(splitter.unfinishedLength == 0)
    }
}
