import AsyncHTTPClient
import GatewayConfig
package import GatewayCore
import HTTPFetching
package import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import SystemPrimitives

/// Asks servers for heads as webhooks are sent: the name is resolved here, every address is judged, and the client of the connection is
/// told the address beside the name, so that nothing is looked up a second time. Every redirect is judged like the first URL. Each
/// request has a connection of its own, which ends with the head.
package struct AddressedProbe: HTTPProbing {
    /// How many addresses of one host are tried.
    private static let triedAddresses = 3
    private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    /// Where look-ups wait for the network. They end with the process, since getaddrinfo(3) cannot be interrupted.
    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: 2)
        threads.start()
        return threads
    }()

    private let userAgent: String
    private let group: any EventLoopGroup
    private let resolver: HostResolver

    /// Makes a probe; nothing is looked up or connected yet.
    /// - Parameters:
    ///   - version: of the gateway, for `user-agent`.
    ///   - group: runs the connections.
    package init(version: String, group: any EventLoopGroup) {
        self.init(version: version, group: group, resolver: .system)
    }

    init(version: String, group: any EventLoopGroup, resolver: HostResolver) {
        self.userAgent = "Castway/\(version)"
        self.group = group
        self.resolver = resolver
    }

    package func probe(_ question: HTTPProbeQuestion) async -> Result<HTTPProbeAnswer, HTTPProbeFailure> {
        let deadline = NIODeadline.now() + TimeAmount(question.time)
        do throws(HTTPProbeFailure) {
            var url = try Self.url(question.url)
            var left = question.redirects
            while true {
                let answer = try await self.answer(url, question, deadline)
                guard Self.redirects.contains(answer.status), let location = answer.header("location") else {
                    return .success(answer)
                }
                guard left > 0 else {
                    throw HTTPProbeFailure(
                        .redirect, "\(url.shown) leads through more than \(question.redirects) redirects")
                }
                left -= 1
                guard let next = url.followed(by: location) else {
                    throw HTTPProbeFailure(.redirect, "\(url.shown) leads to a place that is no URL for the gateway")
                }
                url = next
            }
        } catch {
            return .failure(error)
        }
    }

    private static func url(_ text: String) throws(HTTPProbeFailure) -> OutboundURL {
        do throws(OutboundURL.Malformed) {
            return try OutboundURL(text)
        } catch {
            throw HTTPProbeFailure(.malformed, "the address \(error)")
        }
    }

    // MARK: One exchange

    private func answer(
        _ url: OutboundURL, _ question: HTTPProbeQuestion, _ deadline: NIODeadline
    ) async throws(HTTPProbeFailure) -> HTTPProbeAnswer {
        let loop = self.group.next()
        let rule = OutboundAddressRule(allowsPrivate: question.allowsPrivate)
        let found = try await self.lookUp(url, on: loop, deadline)
        let allowed = found.filter { rule.refusal(of: $0) == nil }.prefix(Self.triedAddresses)
        guard !allowed.isEmpty else {
            let reason = found.first.map { "\($0): \(rule.refusal(of: $0) ?? "")" } ?? "no address"
            throw HTTPProbeFailure(.refusedAddress, "\(url.shown) leads to \(reason)")
        }
        var failure = HTTPProbeFailure(.unreachable, "\(url.shown) has no address")
        for address in allowed {
            do throws(HTTPProbeFailure) {
                return try await self.exchange(url, question, at: address, on: loop, deadline)
            } catch {
                guard error.kind == .unreachable else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func lookUp(
        _ url: OutboundURL, on loop: any EventLoop, _ deadline: NIODeadline
    ) async throws(HTTPProbeFailure) -> [IPAddress] {
        if let address = url.address { return [address] }
        let promise = loop.makePromise(of: Result<[IPAddress], HTTPProbeFailure>.self)
        let late = HTTPProbeFailure(.timeout, "the name of \(url.shown) was not found in time")
        // Whichever comes first completes it.
        let expiry = loop.scheduleTask(deadline: deadline) { promise.succeed(.failure(late)) }
        let resolver = self.resolver
        Self.threads.submit { _ in
            do throws(HostResolver.NotFound) {
                promise.succeed(.success(try resolver.addresses(url.host)))
            } catch {
                promise.succeed(
                    .failure(HTTPProbeFailure(.unreachable, "the name of \(url.shown) is not found: \(error)")))
            }
        }
        let ended = Result<[IPAddress], HTTPProbeFailure>.failure(Self.ended)
        let result = await withTaskCancellationHandler {
            (try? await promise.futureResult.get()) ?? ended
        } onCancel: {
            promise.succeed(ended)
        }
        expiry.cancel()
        return try result.get()
    }

    private func exchange(
        _ url: OutboundURL, _ question: HTTPProbeQuestion, at address: IPAddress, on loop: any EventLoop,
        _ deadline: NIODeadline
    ) async throws(HTTPProbeFailure) -> HTTPProbeAnswer {
        let place = "\(url.shown) (\(address))"
        guard !Task.isCancelled else { throw Self.ended }
        var headers = HTTPHeaders(question.headers.map { ($0.name, $0.value) })
        headers.replaceOrAdd(name: "user-agent", value: self.userAgent)
        let request = try? HTTPClient.Request(url: url.text, method: .GET, headers: headers)
        // The address is pinned by the host as the client reads it, so both must read the same.
        guard let request, request.host == url.host else {
            throw HTTPProbeFailure(.malformed, "the address has a host that cannot be pinned")
        }
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(loop),
            configuration: Self.configuration(pinning: url.address == nil ? url.host : nil, to: address, question.time))
        defer { client.shutdown { _ in } }
        let collector = HeadCollector()
        let task = client.execute(
            request: request, delegate: collector, eventLoop: .delegate(on: loop), deadline: deadline)
        do {
            try await withTaskCancellationHandler {
                try await task.futureResult.get()
            } onCancel: {
                task.cancel()
            }
        } catch {
            guard collector.answer == nil else { return try Self.whole(collector, place) }
            if error as? HTTPClientError == .deadlineExceeded {
                throw HTTPProbeFailure(.timeout, "no answer from \(place) in time")
            }
            throw HTTPProbeFailure(.unreachable, "\(WebhookFailure(error, wasSent: false, place: place))")
        }
        return try Self.whole(collector, place)
    }

    private static func whole(
        _ collector: HeadCollector, _ place: String
    ) throws(HTTPProbeFailure) -> HTTPProbeAnswer {
        guard let answer = collector.answer else { throw HTTPProbeFailure(.unreachable, "no answer from \(place)") }
        return answer
    }

    private static let ended = HTTPProbeFailure(.unreachable, "the caller does not wait any more")

    private static func configuration(
        pinning host: String?, to address: IPAddress, _ time: Duration
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
        configuration.httpVersion = .http1Only
        // So that a second address has its turn within the time.
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: min(.seconds(3), TimeAmount(time / 2)))
        configuration.connectionPool.retryConnectionEstablishment = false
        if let host { configuration.dnsOverride = [host: address.description] }
        return configuration
    }
}

/// Takes the head of an answer, and nothing more of it.
private final class HeadCollector: HTTPClientResponseDelegate {
    /// There is nothing more to read.
    private struct Enough: Error {}

    private let head = Mutex<HTTPProbeAnswer?>(nil)

    /// The head; nil before it came.
    var answer: HTTPProbeAnswer? { self.head.withLock { $0 } }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let headers = head.headers.map { (name: $0.name, value: $0.value) }
        self.head.withLock { $0 = HTTPProbeAnswer(status: Int(head.status.code), headers: headers) }
        return task.eventLoop.makeFailedFuture(Enough())
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}
}

extension OutboundURL {
    /// Where a redirect leads. From `https` none leads to `http`.
    fileprivate func followed(by location: String) -> OutboundURL? {
        guard let url = self.resolving(location), url.isEncrypted || !self.isEncrypted else { return nil }
        return url
    }
}
