import HTTPFetching
package import NIOCore

/// A picture that was fetched and looked at.
package struct Picture: Sendable, Hashable {
    package let bytes: ByteBuffer
    /// The MIME type that the bytes have, whatever the server said: `image/png` and the like.
    package let contentType: String
    /// In pixels.
    package let width: Int
    /// In pixels.
    package let height: Int
    /// Stands for the bytes: the first 16 bytes of their SHA-256, as hexadecimal digits.
    package let tag: String

    /// Takes bytes that are a picture.
    /// - Throws: ``PictureFault`` with `not_a_picture` or `too_many_pixels`.
    init(_ bytes: ByteBuffer) throws(PictureFault) {
        let head: PictureHead
        do throws(PictureHead.Refusal) {
            head = try PictureHead(bytes)
        } catch {
            switch error {
            case .unknown:
                throw PictureFault(.notAPicture, "what came is neither AVIF, GIF, JPEG, PNG nor WebP")
            case .tooManyPixels(let width, let height):
                throw PictureFault(.tooManyPixels, "it says that it has \(width) by \(height) pixels")
            }
        }
        self.bytes = bytes
        self.contentType = head.format.contentType
        (self.width, self.height) = (head.width, head.height)
        self.tag = PictureID.digest(bytes) ?? ""
    }
}

/// The reason there is no picture.
package struct PictureFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault, in a word that never changes.
    package enum Code: String, Sendable, CaseIterable {
        /// The address is none that the gateway asks.
        case malformed
        /// The address is `http://`, and `allow_http` is off.
        case plaintext
        /// No such name, no connection, or no answer.
        case unreachable
        /// The name leads to an address that is not allowed.
        case refusedAddress = "refused_address"
        case timeout
        /// Another status than 200.
        case status = "http_status"
        /// More bytes than a picture may have.
        case tooLarge = "too_large"
        /// A redirect that is not followed.
        case redirect
        /// The server says that it is no picture.
        case contentType = "content_type"
        /// The bytes are of no known format.
        case notAPicture = "not_a_picture"
        /// The bytes say that it has more pixels than may be.
        case tooManyPixels = "too_many_pixels"
        /// The plugin that is to give pictures gave none.
        case plugin
        /// Too many pictures are being fetched; one may come back at once.
        case busy
        /// The gateway does not fetch pictures now.
        case ended
    }

    package let code: Code
    /// The reason in a few words without path and query of a URL; may name hosts and addresses.
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    init(_ failure: HTTPFetchFailure) {
        self.init(Code(rawValue: failure.kind.rawValue) ?? .unreachable, failure.description)
    }

    package var description: String { "\(self.code.rawValue): \(self.reason)" }

    /// True if it is worth keeping for a while: not where it says nothing of the picture.
    var isOfThePicture: Bool { self.code != .busy && self.code != .ended }
}
