package import NIOCore

/// The format and the size in pixels of a picture, as its first bytes give them.
///
/// Nothing is decoded. What says neither, or more pixels than ``maximumPixels``, is no picture for the gateway: a few bytes can stand for
/// more pixels than the program that shows them has memory for.
package struct PictureHead: Sendable, Hashable {
    /// The formats that are passed on.
    package enum Format: String, Sendable, CaseIterable {
        case avif, gif, jpeg, png, webp

        package var contentType: String { "image/\(self.rawValue)" }
    }

    /// The reason bytes are no picture.
    package enum Refusal: Error, Hashable, Sendable {
        /// They are of no format that is known, or do not say how large the picture is.
        case unknown
        /// They say that it has more pixels than may be.
        case tooManyPixels(width: Int, height: Int)
    }

    /// The number of pixels a picture has at most: 64 Mi.
    package static let maximumPixels = 64 << 20
    /// The longest side, in pixels.
    package static let maximumSide = 32_768
    /// The most segments of a JPEG that are looked at, and the most bytes of an AVIF.
    private static let (mostSegments, longestHeader) = (4096, 65_536)

    package let format: Format
    /// In pixels; at least 1.
    package let width: Int
    /// In pixels; at least 1.
    package let height: Int

    /// Reads the head of a whole picture, from the reader index on.
    package init(_ bytes: ByteBuffer) throws(Refusal) {
        let bytes = bytes.slice()
        guard
            let found = Self.png(bytes) ?? Self.gif(bytes) ?? Self.webp(bytes) ?? Self.jpeg(bytes) ?? Self.avif(bytes),
            found.width > 0, found.height > 0
        else { throw .unknown }
        guard found.width <= Self.maximumSide, found.height <= Self.maximumSide,
            found.width * found.height <= Self.maximumPixels
        else { throw .tooManyPixels(width: found.width, height: found.height) }
        (self.format, self.width, self.height) = found
    }

    // MARK: Formats

    private typealias Found = (format: Format, width: Int, height: Int)

    /// PNG (ISO 15948): the signature, then the chunk IHDR.
    private static func png(_ bytes: ByteBuffer) -> Found? {
        guard bytes.getInteger(at: 0, as: UInt64.self) == 0x8950_4E47_0D0A_1A0A, Self.text(bytes, 12, "IHDR"),
            let width = Self.integer(bytes, 16, as: UInt32.self), let height = Self.integer(bytes, 20, as: UInt32.self)
        else { return nil }
        return (.png, width, height)
    }

    /// GIF: the signature, then the size of the logical screen.
    private static func gif(_ bytes: ByteBuffer) -> Found? {
        guard Self.text(bytes, 0, "GIF87a") || Self.text(bytes, 0, "GIF89a"),
            let width = Self.little(bytes, 6), let height = Self.little(bytes, 8)
        else { return nil }
        return (.gif, width, height)
    }

    /// WebP (RFC 9649): RIFF with one of three first chunks.
    private static func webp(_ bytes: ByteBuffer) -> Found? {
        guard Self.text(bytes, 0, "RIFF"), Self.text(bytes, 8, "WEBP") else { return nil }
        if Self.text(bytes, 12, "VP8X") {
            guard let low = Self.little(bytes, 24), let high = Self.byte(bytes, 26), let lower = Self.little(bytes, 27),
                let higher = Self.byte(bytes, 29)
            else { return nil }
            return (.webp, (high << 16 | low) + 1, (higher << 16 | lower) + 1)
        }
        if Self.text(bytes, 12, "VP8L") {
            guard Self.byte(bytes, 20) == 0x2F, let low = Self.little(bytes, 21), let high = Self.little(bytes, 23)
            else { return nil }
            let bits = high << 16 | low
            return (.webp, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        guard Self.text(bytes, 12, "VP8 "), Self.byte(bytes, 23) == 0x9D, Self.byte(bytes, 24) == 0x01,
            Self.byte(bytes, 25) == 0x2A, let width = Self.little(bytes, 26), let height = Self.little(bytes, 28)
        else { return nil }
        return (.webp, width & 0x3FFF, height & 0x3FFF)
    }

    /// JPEG (ITU T.81): segments up to the first start of a frame.
    private static func jpeg(_ bytes: ByteBuffer) -> Found? {
        guard Self.integer(bytes, 0, as: UInt16.self) == 0xFFD8 else { return nil }
        var place = 2
        for _ in 0..<Self.mostSegments {
            guard Self.byte(bytes, place) == 0xFF, let marker = Self.byte(bytes, place + 1) else { return nil }
            switch marker {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD7: place += 2
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
                guard let height = Self.integer(bytes, place + 5, as: UInt16.self),
                    let width = Self.integer(bytes, place + 7, as: UInt16.self)
                else { return nil }
                return (.jpeg, width, height)
            case 0xC4, 0xC8, 0xCC, 0xDB...0xFE:
                guard let length = Self.integer(bytes, place + 2, as: UInt16.self), length >= 2 else { return nil }
                place += 2 + length
            // The picture itself, its end, or what is reserved, before any frame.
            default: return nil
            }
        }
        return nil
    }

    /// AVIF: a file of ISO 14496-12 with one of its brands; the largest of the sizes that stand in the header.
    private static func avif(_ bytes: ByteBuffer) -> Found? {
        guard Self.text(bytes, 4, "ftyp"), let length = Self.integer(bytes, 0, as: UInt32.self),
            (16...1024).contains(length), length <= bytes.readableBytes
        else { return nil }
        let brands = [8] + stride(from: 16, to: length - 3, by: 4)
        guard brands.contains(where: { Self.text(bytes, $0, "avif") || Self.text(bytes, $0, "avis") }) else {
            return nil
        }
        let head = bytes.getSlice(at: 0, length: min(bytes.readableBytes, Self.longestHeader)) ?? bytes
        let view = head.readableBytesView
        var largest: Found?
        var place = length
        while let start = view[min(place, view.count)...].firstIndex(of: UInt8(ascii: "i")) {
            place = start + 1
            guard Self.text(head, start, "ispe"), let width = Self.integer(head, start + 8, as: UInt32.self),
                let height = Self.integer(head, start + 12, as: UInt32.self)
            else { continue }
            largest = (.avif, max(largest?.width ?? 0, width), max(largest?.height ?? 0, height))
        }
        return largest
    }

    // MARK: Bytes

    private static func integer<Number: FixedWidthInteger>(
        _ bytes: ByteBuffer, _ place: Int, as type: Number.Type
    ) -> Int? {
        bytes.getInteger(at: place, as: type).map { Int(truncatingIfNeeded: $0) }
    }

    private static func little(_ bytes: ByteBuffer, _ place: Int) -> Int? {
        bytes.getInteger(at: place, endianness: .little, as: UInt16.self).map { Int($0) }
    }

    private static func byte(_ bytes: ByteBuffer, _ place: Int) -> Int? {
        bytes.getInteger(at: place, as: UInt8.self).map { Int($0) }
    }

    private static func text(_ bytes: ByteBuffer, _ place: Int, _ wanted: String) -> Bool {
        bytes.getSlice(at: place, length: wanted.utf8.count)?.readableBytesView.elementsEqual(wanted.utf8) == true
    }
}
