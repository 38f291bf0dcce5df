import CastWire
package import GatewayOperations
import HTTPTypes
package import Hummingbird
import HummingbirdCore
package import NIOCore
import SystemPrimitives

/// What names a picture that a caller asks for.
package enum PicturePlace: Sendable, Hashable {
    /// What plays on a device, its queue, and its app; the device as the caller calls it.
    case device(String)
    /// The items of a catalogue.
    case catalogue(String)
}

/// A picture as it is answered.
package struct ServedPicture: Sendable {
    package var bytes: ByteBuffer
    /// The MIME type of the bytes: `image/png` and the like.
    package var contentType: String
    /// Stands for the bytes, without quotes; visible ASCII without a quote.
    package var tag: String
    /// For how many seconds the caller may show it without asking again.
    package var age: Int

    package init(bytes: ByteBuffer, contentType: String, tag: String, age: Int) {
        self.bytes = bytes
        self.contentType = contentType
        self.tag = tag
        self.age = age
    }
}

/// The bytes of pictures: `/api/v1/devices/{device}/pictures/{picture}` and `/api/v1/catalogues/{catalogue}/pictures/{picture}`.
///
/// Only what the device or the catalogue names at the moment is there, so that the gateway is no proxy for other addresses. A picture is
/// answered as what its bytes are, and a browser that shows it alone runs nothing in it.
package struct PictureRoutes: APIRoutes {
    /// Gives a picture to a caller that may have it.
    package typealias Look =
        @Sendable (_ place: PicturePlace, _ picture: String, _ caller: Caller) async throws(OperationProblem)
        -> ServedPicture

    /// Where they are.
    package let pages = [
        "/api/v1/devices/{device}/pictures/{picture}", "/api/v1/catalogues/{catalogue}/pictures/{picture}",
    ]

    private let look: Look
    private let audit: (any AuditTrail)?

    /// Offers pictures.
    /// - Parameters:
    ///   - audit: learns of callers that may not have one.
    ///   - look: asked for every request of a known caller; it judges scopes and devices.
    package init(audit: (any AuditTrail)?, look: @escaping Look) {
        self.audit = audit
        self.look = look
    }

    /// Where the picture of a place is, as a path of the listener.
    /// - Parameter picture: its name: letters and digits.
    package static func path(of place: PicturePlace, picture: String) -> String {
        switch place {
        case .device(let name): "/api/v1/devices/\(name.percentEncoded())/pictures/\(picture)"
        case .catalogue(let name): "/api/v1/catalogues/\(name.percentEncoded())/pictures/\(picture)"
        }
    }

    package func add(to router: Router<CallerContext>) {
        router.get("/api/v1/devices/:device/pictures/:picture") { request, context in
            await self.answer(request, context, "device") { .device($0) }
        }
        router.get("/api/v1/catalogues/:catalogue/pictures/:picture") { request, context in
            await self.answer(request, context, "catalogue") { .catalogue($0) }
        }
    }

    private func answer(
        _ request: Request, _ context: CallerContext, _ name: String, _ place: (String) -> PicturePlace
    ) async -> Response {
        do throws(OperationProblem) {
            guard let text = context.parameters.get(name)?.percentDecoded,
                let picture = context.parameters.get("picture")?.percentDecoded
            else {
                throw OperationProblem(
                    "bad_request", status: 400, "the path is not encoded as UTF-8 in percent signs")
            }
            return Self.response(try await self.look(place(text), picture, context.caller), to: request)
        } catch {
            if error.status == 403 {
                self.audit?.record(
                    AuditEntry(
                        .requestRefused, outcome: error.code, caller: context.caller.name, address: context.address))
            }
            guard let languages = request.headers[.acceptLanguage] else { return ControlAnswer(error).response }
            return ControlAnswer(error, in: ErrorLanguage(acceptLanguage: languages)).response
        }
    }

    private static func response(_ picture: ServedPicture, to request: Request) -> Response {
        let tag = "\"\(picture.tag)\""
        var headers: HTTPFields = [
            .eTag: tag, .cacheControl: "private, max-age=\(picture.age)", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        if Self.knows(request.headers[values: .ifNoneMatch], tag) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = picture.contentType
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: picture.bytes))
    }

    /// Whether one of the entity tags of `If-None-Match` is that of the picture (RFC 9110, 13.1.2); a weak one counts too.
    private static func knows(_ values: [String], _ tag: String) -> Bool {
        values.joined(separator: ",").split(separator: ",").contains { element in
            var text = element.drop { $0 == " " || $0 == "\t" }
            while let last = text.last, last == " " || last == "\t" { text.removeLast() }
            return text == "*" || text == tag || text == "W/\(tag)"
        }
    }
}
