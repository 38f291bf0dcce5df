import AsyncHTTPClient
import GatewayConfig
import HTTPFetching
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Sends requests to one webhook: signed, by HTTP/1.1 over connections that are kept, and only to addresses that the webhook may have.
///
/// The name is resolved here, on a thread of its own; every address is judged, and the client of the connections is told the address
/// beside the name, so that nothing is looked up a second time. TLS still checks the name. See ``WebhookRoute`` for which address it is.
final class WebhookClient: Sendable {
    /// The parts that tests replace.
    struct Surroundings: Sendable {
        var resolver = HostResolver.system
        /// The clock by which look-ups are repeated.
        var now: @Sendable () -> NIODeadline = { .now() }
        /// Seconds since 1970, for signatures.
        var seconds: @Sendable () -> Int64 = { Int64(time(nil)) }
    }

    /// Connections to one address, for as long as an attempt needs them.
    struct Loan: Sendable {
        let pin: WebhookRoute.Pin
        let connections: HTTPClient
        /// The addresses of the last look-up.
        let addresses: [WebhookTrace.Address]
    }

    private typealias Waiter = (loop: any EventLoop, ready: @Sendable (Result<Loan, WebhookFailure>) -> Void)

    private struct State {
        var route = WebhookRoute()
        /// The connections to each address, by event loop.
        var connections: [Int: [ObjectIdentifier: HTTPClient]] = [:]
        var addresses: [WebhookTrace.Address] = []
        var waiters: [Waiter] = []
        /// Completed when everything is closed.
        var closing: [EventLoopFuture<Void>] = []
    }

    /// The URL of the requests; `-` stands for what each message fills in.
    let url: OutboundURL
    /// The URL of each message.
    let place: WebhookURLTemplate
    /// The time an attempt to deliver may take.
    let timeout: TimeAmount
    let surroundings: Surroundings
    private let template: HTTPClient.Request
    private let configuration: HTTPClient.Configuration
    private let rule: OutboundAddressRule
    private let signature: WebhookSignature
    /// The event loop of attempts to deliver.
    private let loop: any EventLoop
    private let group: any EventLoopGroup
    private let state = Mutex(State())

    /// Makes a client; nothing is looked up or connected yet.
    /// - Parameters:
    ///   - version: of the gateway, for `user-agent`.
    ///   - questions: how many requests there may be beside those of the outbox.
    /// - Throws: ``OutboundURL/Malformed``, ``WebhookSecret/Malformed``, or what is wrong with `ca_file`.
    init(
        _ webhook: WebhookConfiguration, version: String, group: any EventLoopGroup, questions: Int = 0,
        surroundings: Surroundings = Surroundings()
    ) throws {
        self.place = try WebhookURLTemplate(webhook.url)
        self.url = self.place.url
        self.signature = WebhookSignature(secrets: try WebhookSecret.all(in: webhook.secret))
        self.rule = OutboundAddressRule(allowsPrivate: webhook.allowsPrivate)
        self.timeout = TimeAmount(webhook.timeout)
        self.loop = group.next()
        self.group = group
        self.surroundings = surroundings
        let headers: HTTPHeaders = ["content-type": "application/json", "user-agent": "Castway/\(version)"]
        self.template = try HTTPClient.Request(url: self.url.text, method: .POST, headers: headers)
        // The address is pinned by the host as the client reads it, so both must read the same.
        guard self.template.host == self.url.host else {
            throw OutboundURL.Malformed(description: "has a host that cannot be pinned")
        }
        self.configuration = try Self.configuration(
            webhook, connections: webhook.concurrency + questions, timeout: self.timeout)
    }

    deinit { self.close() }

    // MARK: Sending

    /// Makes one attempt.
    /// - Parameters:
    ///   - isHere: whether the attempt runs on the caller's event loop, when that is one of the client's, over connections of that
    ///     loop: what begins on several event loops then neither waits for one of them nor changes threads.
    ///   - completion: called once, on the event loop of the attempt.
    /// - Returns: what ends the attempt early.
    @discardableResult
    func send(
        _ request: WebhookRequest, isHere: Bool = false, completion: @escaping @Sendable (WebhookTrace) -> Void
    ) -> WebhookAttempt {
        let loop = isHere ? self.group.any() : self.loop
        let attempt = WebhookAttempt(request, client: self, loop: loop, completion: completion)
        attempt.begin()
        return attempt
    }

    /// Ends everything under way and closes the connections. What is sent afterwards fails.
    func close() {
        let (waiters, connections) = self.state.withLock { state in
            state.route.end()
            _ = state.route.takeUnused()
            defer { (state.waiters, state.connections) = ([], [:]) }
            return (state.waiters, state.connections.values.flatMap(\.values))
        }
        for waiter in waiters { waiter.ready(.failure(.ended)) }
        for client in connections { Self.shutDown(client) }
    }

    /// The request as it is sent, signed for this moment.
    func httpRequest(for request: WebhookRequest) -> HTTPClient.Request {
        let timestamp = self.surroundings.seconds()
        var sent = self.template
        // The same host, so that the connection is one to an address that was judged.
        if let url = request.url, url.host == self.url.host,
            let own = try? HTTPClient.Request(url: url.text, method: .POST, headers: self.template.headers)
        {
            sent = own
        }
        sent.body = .byteBuffer(request.body)
        sent.headers.add(name: "webhook-id", value: request.id)
        sent.headers.add(name: "webhook-timestamp", value: "\(timestamp)")
        if let signature = self.signature.header(id: request.id, timestamp: timestamp, body: request.body) {
            sent.headers.add(name: "webhook-signature", value: signature)
        }
        return sent
    }

    // MARK: Connections

    var addresses: [WebhookTrace.Address] { self.state.withLock { $0.addresses } }

    /// Lends connections to an address that may be used.
    ///
    /// A back end may answer before it has read the request, and close: async-http-client then traps when it learns of the end of the
    /// write from another event loop than the connection's. So each event loop has connections of its own.
    /// - Parameters:
    ///   - loop: where they live, and the attempt.
    ///   - ready: called once, here or on the thread of a look-up. A loan must be taken back.
    func lend(on loop: any EventLoop, _ ready: @escaping @Sendable (Result<Loan, WebhookFailure>) -> Void) {
        let (result, beginsLookUp) = self.state.withLock { state in
            let (answer, begins) = state.route.need(now: self.surroundings.now())
            let result = self.result(of: answer, on: loop, &state)
            if result == nil { state.waiters.append((loop, ready)) }
            return (result, begins)
        }
        self.closeUnused()
        if beginsLookUp { self.beginLookUp() }
        if let result { ready(result) }
    }

    func takeBack(_ loan: Loan) {
        self.state.withLock { $0.route.release(loan.pin) }
        self.closeUnused()
    }

    /// Says that no connection could be made.
    /// - Returns: whether another address can be tried.
    func couldNotConnect(_ loan: Loan) -> Bool {
        defer { self.closeUnused() }
        return self.state.withLock { $0.route.couldNotConnect(loan.pin) }
    }

    private func result(
        of answer: WebhookRoute.Answer, on loop: any EventLoop, _ state: inout State
    ) -> Result<Loan, WebhookFailure>? {
        switch answer {
        case .wait: return nil
        case .fail(let failure): return .failure(failure)
        case .use(let pin):
            let place = ObjectIdentifier(loop)
            let connections = state.connections[pin.id]?[place] ?? self.connections(to: pin.address, on: loop)
            state.connections[pin.id, default: [:]][place] = connections
            return .success(Loan(pin: pin, connections: connections, addresses: state.addresses))
        }
    }

    private func connections(to address: IPAddress, on loop: any EventLoop) -> HTTPClient {
        var configuration = self.configuration
        // An address in the URL is connected to as it stands.
        if self.url.address == nil { configuration.dnsOverride = [self.url.host: address.description] }
        return HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
    }

    private func closeUnused() {
        let unused = self.state.withLock { state in
            state.route.takeUnused().flatMap { state.connections.removeValue(forKey: $0)?.values.map { $0 } ?? [] }
        }
        for client in unused { Self.shutDown(client) }
    }

    private static func shutDown(_ client: HTTPClient) {
        client.shutdown { _ in }
    }

    // MARK: Looking up

    private func beginLookUp() {
        if let address = self.url.address { return self.lookedUp(.success([address])) }
        // Held weakly: a look-up that never ends does not keep the webhook.
        self.surroundings.resolver.find(self.url.host, for: "webhook \(self.url.host)", before: .distantFuture) {
            [weak self] found in self?.lookedUp(found)
        }
    }

    private func lookedUp(_ found: Result<[IPAddress], HostResolver.NotFound>) {
        let now = self.surroundings.now()
        let served = self.state.withLock { state in
            switch found {
            case .success(let addresses):
                let judged = addresses.prefix(HostResolver.mostAddresses).map {
                    ($0, WebhookTrace.Address(address: $0.description, refusal: self.rule.refusal(of: $0)))
                }
                state.addresses = judged.map(\.1)
                state.route.found(
                    judged.filter { $0.1.refusal == nil }.map(\.0), refusal: self.refusal(of: judged.map(\.1)), now: now
                )
            case .failure(let error):
                state.route.notFound(.notFound("the name of \(self.url.shown) is not found: \(error)"), now: now)
            }
            defer { state.waiters = [] }
            return state.waiters.map { waiter in
                let answer = state.route.need(now: now).answer
                // The look-up was this moment, so that there is an address or a reason.
                return (waiter.ready, self.result(of: answer, on: waiter.loop, &state) ?? .failure(.ended))
            }
        }
        self.closeUnused()
        for (ready, result) in served { ready(result) }
    }

    private func refusal(of addresses: [WebhookTrace.Address]) -> WebhookFailure {
        let first = addresses.first.map { "\($0.address): \($0.refusal ?? "")" } ?? "no address"
        return .refusedAddress("\(self.url.shown) leads to \(first)")
    }

    // MARK: Configuration

    private static func configuration(
        _ webhook: WebhookConfiguration, connections: Int, timeout: TimeAmount
    ) throws -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let path = webhook.rootsFile {
            tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(path))]
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
        configuration.httpVersion = .http1Only
        // So that a second address has its turn within the time of an attempt.
        let half = TimeAmount.nanoseconds(timeout.nanoseconds / 2)
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: min(.seconds(5), half))
        configuration.connectionPool = HTTPClient.Configuration.ConnectionPool(
            idleTimeout: .seconds(60), concurrentHTTP1ConnectionsPerHostSoftLimit: connections)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
