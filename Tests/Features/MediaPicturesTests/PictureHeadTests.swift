import NIOCore
import Testing

@testable import MediaPictures

@Suite struct PictureHeadTests {
    private static let pictures: [(ByteBuffer, PictureHead.Format, Int, Int)] = [
        (Sample.png(640, 480), .png, 640, 480), (Sample.gif(320, 200), .gif, 320, 200),
        (Sample.jpeg(1920, 1080), .jpeg, 1920, 1080),
        (Sample.jpeg(7, 9, before: [0xFF, 0xFF, 0xFF, 0xDB, 0, 2]), .jpeg, 7, 9),
        (Sample.webp("VP8X", [0, 0, 0, 0] + Sample.little(4095, 3) + Sample.little(99, 3)), .webp, 4096, 100),
        (Sample.webp("VP8L", [0x2F] + Sample.little(511 | 299 << 14, 4)), .webp, 512, 300),
        (
            Sample.webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A] + Sample.little(176, 2) + Sample.little(144, 2)), .webp,
            176, 144
        ),
        (Sample.avif(800, 600), .avif, 800, 600), (Sample.avif(800, 600, brand: "avis"), .avif, 800, 600),
    ]

    @Test func formatsAndSizesAreKnown() throws {
        for (bytes, format, width, height) in Self.pictures {
            let head = try PictureHead(bytes)
            #expect(head.format == format)
            #expect(head.width == width && head.height == height, "\(format)")
            #expect(head.format.contentType == "image/\(format.rawValue)")
        }
    }

    @Test func whatIsCutOffIsNone() throws {
        for (bytes, format, _, _) in Self.pictures {
            // The last dozen bytes of each sample have the size, or part of it; behind 40 an AVIF has a small one first.
            for length in 0..<min(bytes.readableBytes - 12, 40) {
                let start = try #require(bytes.getSlice(at: bytes.readerIndex, length: length))
                #expect(throws: PictureHead.Refusal.unknown, "\(length) bytes of \(format)") { try PictureHead(start) }
            }
        }
    }

    @Test func anyByteMayBeAnother() {
        for (bytes, _, _, _) in Self.pictures {
            for place in 0..<bytes.readableBytes {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xC0, 0xFF] {
                    var changed = bytes
                    changed.setInteger(value, at: place)
                    // It may be a picture or none; it must be judged.
                    _ = try? PictureHead(changed)
                }
            }
        }
    }

    @Test(arguments: ["", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "<!DOCTYPE html>", "BM", "RIFFxxxxWAVEfmt "])
    func otherThingsAreNone(text: String) {
        #expect(throws: PictureHead.Refusal.unknown) { try PictureHead(ByteBuffer(string: text)) }
    }

    @Test func emptyAndEndlessPicturesAreNone() {
        #expect(throws: PictureHead.Refusal.unknown) { try PictureHead(Sample.png(0, 5)) }
        #expect(throws: PictureHead.Refusal.unknown) {
            try PictureHead(Sample.bytes([0xFF, 0xD8], Array(repeating: 0xFF, count: 1 << 20)))
        }
        #expect(throws: PictureHead.Refusal.unknown) {
            try PictureHead(Sample.bytes([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF, 0xC0]))
        }
    }

    @Test func manyPixelsAreRefused() throws {
        #expect(throws: PictureHead.Refusal.tooManyPixels(width: 0xFFFF_FFFF, height: 0xFFFF_FFFF)) {
            try PictureHead(Sample.png(0xFFFF_FFFF, 0xFFFF_FFFF))
        }
        #expect(throws: PictureHead.Refusal.tooManyPixels(width: 32_769, height: 1)) {
            try PictureHead(Sample.png(32_769, 1))
        }
        #expect(throws: PictureHead.Refusal.tooManyPixels(width: 8193, height: 8192)) {
            try PictureHead(Sample.png(8193, 8192))
        }
        #expect(try PictureHead(Sample.png(8192, 8192)).width == 8192)
        // The size that a small one before it hides counts.
        #expect(throws: PictureHead.Refusal.tooManyPixels(width: 40_000, height: 16)) {
            try PictureHead(Sample.avif(40_000, 2))
        }
    }

    @Test func namesAreThoseOfSHA256() {
        #expect(PictureID(of: "https://m.example/a.png")?.description.utf8.count == 32)
        // printf %s abc | sha256sum
        #expect(PictureID(of: "abc")?.description == "ba7816bf8f01cfea414140de5dae2223")
        #expect(PictureID(of: "") == nil)
        #expect(PictureID(of: String(repeating: "a", count: 4097)) == nil)
    }
}
