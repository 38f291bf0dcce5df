import NIOCore

extension ByteBuffer {
    /// Bytes written in hexadecimal; blanks are left out. A digit that is none ends the bytes.
    init(hex: String) {
        let digits = hex.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        self.init(bytes: stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    /// All bytes, in lower-case hexadecimal.
    var hex: String {
        self.readableBytesView.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
