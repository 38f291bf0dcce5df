import AsyncHTTPClient
import GatewayConfig
package import NIOCore
package import NIOHTTP1

/// Fetches documents, or their heads alone, by GET: from addresses that the operator allows, and no more bytes, redirects and time than it is told.
///
/// As with webhooks the name is resolved here, every address is judged, and the client of the connection is told the address beside
/// the name, so that nothing is looked up a second time; TLS still checks the name. Every redirect is judged like the first URL. Each
/// request has a connection of its own, since documents are fetched rarely.
package struct HTTPFetcher: Sendable {
    /// What a request may cost.
    package struct Limits: Sendable, Hashable {
        /// How many bytes of a body are taken; nil for the head alone.
        package var bytes: Int?
        /// How long everything together may take: look-ups, connections, redirects, the answer.
        package var time: TimeAmount
        /// How many redirects are followed, 0 to 10.
        package var redirects: Int

        package init(bytes: Int?, time: TimeAmount, redirects: Int = 3) {
            self.bytes = bytes
            self.time = time
            self.redirects = redirects
        }
    }

    /// What a server answered.
    package struct Answer: Sendable {
        /// Where it came from, which is another place than was asked for after redirects.
        package var url: OutboundURL
        package var status: Int
        package var headers: HTTPHeaders
        /// The body; empty for every other status than 200, and where the head alone is wanted.
        package var body: ByteBuffer
    }

    /// How many addresses of one host are tried.
    private static let triedAddresses = 4
    private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    private let rule: OutboundAddressRule
    private let allowsPlaintext: Bool
    private let userAgent: String
    private let group: any EventLoopGroup
    private let resolver: HostResolver
    private let owner: String

    /// Makes a fetcher; nothing is looked up or connected yet.
    /// - Parameters:
    ///   - rule: to which addresses it may connect.
    ///   - allowsPlaintext: whether URLs may be `http://`. From `https://` no redirect to one is followed, whatever this says.
    ///   - version: of the gateway, for `user-agent`.
    ///   - group: runs the connections.
    ///   - resolver: finds addresses.
    ///   - owner: for whom, in a word: names that are not answered hold up other fetchers of the same owner at most.
    package init(
        rule: OutboundAddressRule, allowsPlaintext: Bool, version: String, group: any EventLoopGroup,
        resolver: HostResolver = .system, owner: String
    ) {
        self.rule = rule
        self.allowsPlaintext = allowsPlaintext
        self.userAgent = "Castway/\(version)"
        self.group = group
        self.resolver = resolver
        self.owner = owner
    }

    /// Fetches a document.
    /// - Parameters:
    ///   - url: where it is.
    ///   - headers: what is sent beside `user-agent`, such as `if-none-match`.
    ///   - limits: what it may cost.
    /// - Returns: the answer, whatever its status; a redirect only where it names no place.
    /// - Throws: ``HTTPFetchFailure``; ``HTTPFetchFailure/Kind/ended`` when the task is cancelled.
    package func get(
        _ url: OutboundURL, headers: HTTPHeaders = [:], within limits: Limits
    ) async throws(HTTPFetchFailure) -> Answer {
        let deadline = NIODeadline.now() + limits.time
        var url = url
        var left = limits.redirects
        while true {
            guard url.isEncrypted || self.allowsPlaintext else {
                throw HTTPFetchFailure(.redirect, "\(url.shown) has no TLS")
            }
            let answer = try await self.answer(url, headers, limits, deadline)
            guard Self.redirects.contains(answer.status), let location = answer.headers.first(name: "location") else {
                return answer
            }
            guard left > 0 else {
                throw HTTPFetchFailure(.redirect, "\(url.shown) leads through more than \(limits.redirects) redirects")
            }
            left -= 1
            guard let next = url.resolving(location), next.isEncrypted || !url.isEncrypted else {
                throw HTTPFetchFailure(.redirect, "\(url.shown) leads to a place that is no URL for the gateway")
            }
            url = next
        }
    }

    // MARK: One exchange

    private func answer(
        _ url: OutboundURL, _ headers: HTTPHeaders, _ limits: Limits, _ deadline: NIODeadline
    ) async throws(HTTPFetchFailure) -> Answer {
        let loop = self.group.next()
        var failure = HTTPFetchFailure(.unreachable, "\(url.shown) has no address")
        for address in try await self.addresses(of: url, on: loop, deadline) {
            do throws(HTTPFetchFailure) {
                return try await self.exchange(url, headers, limits, at: address, on: loop, deadline)
            } catch {
                guard error.kind == .unreachable else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// The addresses that may be connected to, in the order in which they are tried; at least one.
    private func addresses(
        of url: OutboundURL, on loop: any EventLoop, _ deadline: NIODeadline
    ) async throws(HTTPFetchFailure) -> [IPAddress] {
        let found = try await self.lookUp(url, on: loop, deadline)
        let allowed = found.filter { self.rule.refusal(of: $0) == nil }
        guard allowed.isEmpty else { return Array(allowed.prefix(Self.triedAddresses)) }
        let reason = found.first.map { "\($0): \(self.rule.refusal(of: $0) ?? "")" } ?? "no address"
        throw HTTPFetchFailure(.refusedAddress, "\(url.shown) leads to \(reason)")
    }

    private func lookUp(
        _ url: OutboundURL, on loop: any EventLoop, _ deadline: NIODeadline
    ) async throws(HTTPFetchFailure) -> [IPAddress] {
        if let address = url.address { return [address] }
        let late = HTTPFetchFailure(.timeout, "the name of \(url.shown) was not found in time")
        let promise = loop.makePromise(of: Result<[IPAddress], HTTPFetchFailure>.self)
        // Whichever comes first completes it.
        let expiry = loop.scheduleTask(deadline: deadline) { promise.succeed(.failure(late)) }
        self.resolver.find(url.host, for: self.owner, before: deadline) { found in
            promise.succeed(
                found.mapError { error in
                    HTTPFetchFailure(.unreachable, "the name of \(url.shown) is not found: \(error)")
                })
        }
        let ended = Result<[IPAddress], HTTPFetchFailure>.failure(Self.ended)
        let result = await withTaskCancellationHandler {
            (try? await promise.futureResult.get()) ?? ended
        } onCancel: {
            promise.succeed(ended)
        }
        expiry.cancel()
        return try result.get()
    }

    private func exchange(
        _ url: OutboundURL, _ headers: HTTPHeaders, _ limits: Limits, at address: IPAddress, on loop: any EventLoop,
        _ deadline: NIODeadline
    ) async throws(HTTPFetchFailure) -> Answer {
        guard !Task.isCancelled else { throw Self.ended }
        let request: HTTPClient.Request
        do {
            request = try self.request(for: url, headers)
        } catch {
            throw HTTPFetchFailure(.unreachable, "no request to \(url.shown): \(HTTPErrorText.words(error))")
        }
        // The address is pinned by the host as the client reads it, so both must read the same.
        guard request.host == url.host else {
            throw HTTPFetchFailure(.unreachable, "\(url.shown) has a host that cannot be pinned")
        }
        let connections = HTTPClient(
            eventLoopGroupProvider: .shared(loop),
            configuration: Self.configuration(pinning: url.address == nil ? url.host : nil, to: address, limits))
        defer { connections.shutdown { _ in } }
        let collector = DocumentCollector(url, limit: limits.bytes)
        let task = connections.execute(
            request: request, delegate: collector, eventLoop: .delegate(on: loop), deadline: deadline)
        let result: Result<Void, any Error>
        do {
            try await withTaskCancellationHandler {
                try await task.futureResult.get()
            } onCancel: {
                task.cancel()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        return try self.outcome(result, collector, place: "\(url.shown) (\(address))", limits)
    }

    private func outcome(
        _ result: Result<Void, any Error>, _ collector: DocumentCollector, place: String, _ limits: Limits
    ) throws(HTTPFetchFailure) -> Answer {
        if let answer = collector.answer { return answer }
        if collector.isTooLarge {
            throw HTTPFetchFailure(.tooLarge, "\(place) answers with more than \(limits.bytes ?? 0) bytes")
        }
        guard case .failure(let error) = result else {
            throw HTTPFetchFailure(.unreachable, "no answer from \(place)")
        }
        switch error as? HTTPClientError {
        case .deadlineExceeded?: throw HTTPFetchFailure(.timeout, "no answer from \(place) in time")
        case .cancelled?, .alreadyShutdown?: throw Self.ended
        default:
            throw HTTPFetchFailure(.unreachable, "no answer from \(place): \(HTTPErrorText.words(error))")
        }
    }

    private func request(for url: OutboundURL, _ headers: HTTPHeaders) throws -> HTTPClient.Request {
        var headers = headers
        headers.replaceOrAdd(name: "user-agent", value: self.userAgent)
        return try HTTPClient.Request(url: url.text, method: .GET, headers: headers)
    }

    private static let ended = HTTPFetchFailure(.ended, "the gateway ended the request")

    private static func configuration(
        pinning host: String?, to address: IPAddress, _ limits: Limits
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, decompression: .disabled)
        configuration.httpVersion = .http1Only
        // So that a second address has its turn within the time.
        let half = TimeAmount.nanoseconds(limits.time.nanoseconds / 2)
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: min(.seconds(5), half))
        configuration.connectionPool.retryConnectionEstablishment = false
        if let host { configuration.dnsOverride = [host: address.description] }
        return configuration
    }
}
