import GatewayConfig
import HTTPFetching
package import NIOCore
import NIOHTTP1
import SystemPrimitives

/// The answer of a plugin that the gateway asks for a picture.
package enum ProvidedPicture: Sendable, Hashable {
    case bytes(ByteBuffer)
    /// The address where the gateway fetches it.
    case address(String)
}

package protocol PictureProviders: Sendable {
    /// Asks a plugin.
    /// - Parameters:
    ///   - address: where the picture is, as the medium or the app names it.
    ///   - plugin: the name of the instance.
    /// - Throws: ``PictureFault`` with ``PictureFault/Code/plugin``.
    func picture(
        at address: String, of plugin: String, within time: Duration
    ) async throws(PictureFault) -> ProvidedPicture
}

/// Fetches one picture, from a plugin or from where it is.
struct PictureFetcher: Sendable {
    private static let accepted = "image/avif, image/webp, image/png, image/jpeg, image/gif"

    /// The version of the gateway, for `user-agent`.
    let version: String
    let group: any EventLoopGroup
    let resolver: HostResolver
    let providers: any PictureProviders

    func fetch(_ job: PictureCache.Job) async -> PictureCache.Outcome {
        let deadline = NIODeadline.now() + TimeAmount(job.configuration.timeout)
        do throws(PictureFault) {
            guard let source = job.configuration.source else {
                return .success(try await self.fetch(job.address, job.configuration, deadline))
            }
            let provided = try await self.providers.picture(
                at: job.address, of: source.plugin, within: job.configuration.timeout)
            switch provided {
            case .address(let address):
                return .success(try await self.fetch(address, job.configuration, deadline))
            case .bytes(let bytes):
                guard bytes.readableBytes <= job.configuration.size else {
                    throw PictureFault(.tooLarge, "the plugin gave more than \(job.configuration.size) bytes")
                }
                return .success(try Picture(bytes))
            }
        } catch {
            return .failure(error)
        }
    }

    private func fetch(
        _ address: String, _ configuration: PicturesConfiguration, _ deadline: NIODeadline
    ) async throws(PictureFault) -> Picture {
        let url: OutboundURL
        do throws(OutboundURL.Malformed) {
            url = try OutboundURL(encoding: address)
        } catch {
            throw PictureFault(.malformed, "the address \(error)")
        }
        guard url.isEncrypted || configuration.allowsPlaintext else {
            throw PictureFault(.plaintext, "\(url.shown) has no TLS, which needs allow_http: true")
        }
        let left = deadline - .now()
        guard left > .zero else { throw PictureFault(.timeout, "no time is left to ask \(url.shown)") }
        let fetcher = HTTPFetcher(
            rule: OutboundAddressRule(allowsPrivate: configuration.allowsPrivate),
            allowsPlaintext: configuration.allowsPlaintext, version: self.version, group: self.group,
            resolver: self.resolver, owner: "pictures")
        let answer: HTTPFetcher.Answer
        do throws(HTTPFetchFailure) {
            answer = try await fetcher.get(
                url, headers: ["accept": Self.accepted], within: .init(bytes: configuration.size, time: left))
        } catch {
            throw PictureFault(error)
        }
        guard answer.status == 200 else {
            throw PictureFault(.status, "\(url.shown) answered \(answer.status)")
        }
        try Self.check(type: answer.headers["content-type"], of: url)
        return try Picture(answer.body)
    }

    /// Refuses what the server itself does not call a picture: the bytes of some pages are those of a picture too.
    private static func check(type values: [String], of url: OutboundURL) throws(PictureFault) {
        let names = values.map { value in
            value.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        }
        guard names.count == 1, let name = names.first, name.hasPrefix("image/"), !name.hasPrefix("image/svg"),
            !name.contains(",")
        else {
            throw PictureFault(.contentType, "\(url.shown) does not say that it is a picture of pixels")
        }
    }
}
