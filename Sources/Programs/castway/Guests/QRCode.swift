import CQRCode
import Glibc

/// A QR code (ISO/IEC 18004), made by libqrencode: a square of dark and light modules.
struct QRCode {
    /// Light modules around it, without which it is not found.
    private static let margin = 4

    let width: Int
    private let dark: [Bool]

    /// Encodes a text; nil for one that is too long, or without memory.
    init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        guard let data = code.pointee.data else { return nil }
        self.width = Int(code.pointee.width)
        // The lowest bit of each byte is the module; the others say what it is for.
        self.dark = (0..<self.width * self.width).map { data[$0] & 1 == 1 }
    }

    /// Whether a module is dark; those around the square are light.
    subscript(row: Int, column: Int) -> Bool {
        guard (0..<self.width).contains(row), (0..<self.width).contains(column) else { return false }
        return self.dark[row * self.width + column]
    }

    /// The lines that show it in a terminal: two rows of modules a line.
    /// - Parameter isColoured: whether the terminal knows colours: then it is black on white, whatever the terminal's own are. Without
    ///   them the light modules are drawn, for terminals that write light on dark; readers of phones take it the other way round as well.
    func lines(isColoured: Bool) -> [String] {
        let range = -Self.margin..<self.width + Self.margin
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let blocks = range.map { column in
                switch (self[row, column] == isColoured, self[row + 1, column] == isColoured) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return isColoured ? "\u{1B}[30;107m\(blocks.joined())\u{1B}[0m" : blocks.joined()
        }
    }
}
