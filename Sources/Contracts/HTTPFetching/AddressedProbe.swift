package import NIOCore
import NIOHTTP1

/// Asks servers for heads by ``HTTPFetcher``: every address and every redirect is judged as for documents and webhooks.
package struct AddressedProbe: HTTPProbing {
    private let version: String
    private let group: any EventLoopGroup
    private let resolver: HostResolver

    /// Makes a probe; nothing is looked up or connected yet.
    /// - Parameters:
    ///   - version: of the gateway, for `user-agent`.
    ///   - group: runs the connections.
    ///   - resolver: finds addresses.
    package init(version: String, group: any EventLoopGroup, resolver: HostResolver = .system) {
        self.version = version
        self.group = group
        self.resolver = resolver
    }

    package func probe(_ question: HTTPProbeQuestion) async -> Result<HTTPProbeAnswer, HTTPProbeFailure> {
        let url: OutboundURL
        do throws(OutboundURL.Malformed) {
            url = try OutboundURL(encoding: question.url)
        } catch {
            return .failure(HTTPProbeFailure(.malformed, "the address \(error)"))
        }
        let fetcher = HTTPFetcher(
            rule: OutboundAddressRule(allowsPrivate: question.allowsPrivate), allowsPlaintext: true,
            version: self.version, group: self.group, resolver: self.resolver, owner: "media checks")
        let limits = HTTPFetcher.Limits(bytes: nil, time: TimeAmount(question.time), redirects: question.redirects)
        do throws(HTTPFetchFailure) {
            let answer = try await fetcher.get(
                url, headers: HTTPHeaders(question.headers.map { ($0.name, $0.value) }), within: limits)
            return .success(
                HTTPProbeAnswer(
                    status: answer.status, headers: answer.headers.map { (name: $0.name, value: $0.value) }))
        } catch {
            return .failure(HTTPProbeFailure(Self.kind(of: error), error.description))
        }
    }

    private static func kind(of failure: HTTPFetchFailure) -> HTTPProbeFailure.Kind {
        switch failure.kind {
        case .refusedAddress: .refusedAddress
        case .timeout: .timeout
        case .redirect: .redirect
        case .unreachable, .ended, .status, .tooLarge: .unreachable
        }
    }
}
