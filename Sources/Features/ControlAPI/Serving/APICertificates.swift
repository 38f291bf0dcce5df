package import CastIdentity
package import CastTransport
import GatewayConfig
package import GatewayCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Makes what TLS of the API, or of the join page, serves: a certificate under the gateway's root, or that of the operator's files.
package final class APICertificates: Sendable {
    /// Which listener it is for.
    package enum Listener: Sendable {
        case api, join

        fileprivate func address(_ api: APIConfiguration) -> ListenAddress? {
            self == .api ? api.listen : api.join.listen
        }

        fileprivate func encryption(_ api: APIConfiguration) -> APIEncryption? {
            self == .api ? api.tls : api.join.tls
        }

        fileprivate var name: String { self == .api ? "the API" : "the join page" }
    }

    /// What `api.tls` came to.
    package struct Made: Sendable {
        /// What is served.
        package let context: TLSServerContext
        fileprivate var files: [PEMFile] = []
    }

    private let listener: Listener
    private let identities: IdentityStore
    private let wallClock: @Sendable () -> Int64
    let logger: Logger
    /// The files as they are served.
    private let served = Mutex<[PEMFile]>([])

    package init(
        for listener: Listener = .api, identities: IdentityStore, wallClock: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.listener = listener
        self.identities = identities
        self.wallClock = wallClock
        self.logger = logger
    }

    /// What the listener is called in sentences.
    var name: String { self.listener.name }

    /// Whether the gateway makes the certificate, and not the operator.
    func areOwn(_ api: APIConfiguration) -> Bool { self.listener.encryption(api) == .automatic }

    /// What `tls` of the listener comes to; nil without it. Blocks.
    /// - Throws: `IdentityError`, or what is wrong with the files.
    package func make(_ api: APIConfiguration) throws -> Made? {
        guard self.listener.address(api) != nil else { return nil }
        switch self.listener.encryption(api) {
        case nil: return nil
        case .automatic:
            let made = try self.identities.serverCertificate(for: Self.names(api), now: self.wallClock())
            return Made(
                context: try TLSServerContext(
                    certificate: made.certificate, privateKey: made.privateKey, notAfter: made.notAfter))
        case .files(let certificate, let privateKey):
            let files = [try PEMFile(path: certificate), try PEMFile(path: privateKey)]
            let context = try TLSServerContext(pemChain: files[0].contents, privateKey: files[1].contents)
            return Made(context: context, files: files)
        }
    }

    /// What was made is served from now on.
    package func served(_ made: Made?) { self.served.withLock { $0 = made?.files ?? [] } }

    /// Whether the files say something else than what is served. Blocks.
    package func filesHaveChanged(_ api: APIConfiguration) -> Bool {
        guard self.listener.address(api) != nil,
            case .files(let certificate, let privateKey) = self.listener.encryption(api)
        else { return false }
        let files = [certificate, privateKey].compactMap { try? PEMFile(path: $0) }
        return files != self.served.withLock { $0 }
    }

    /// Says by which fingerprint callers know the certificate.
    /// - Parameter certificate: DER; nil without TLS.
    package func tell(_ api: APIConfiguration, certificate: [UInt8]?) {
        guard let certificate, let digest = try? HashAlgorithm.sha256.digest(of: certificate) else { return }
        let digits = digest.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.count == 1 ? "0" + text : text
        }
        self.logger.info(
            "TLS of \(self.listener.name)",
            metadata: [
                "sha256": "\(digits.joined(separator: ":"))",
                "certificate":
                    "\(self.listener.encryption(api) == .automatic ? "made under the gateway's root" : "of the operator")",
            ])
    }

    /// Whatever callers and guests may reach the gateway by: names that are configured, and for the machine itself all that it has. One
    /// certificate is for both listeners.
    private static func names(_ api: APIConfiguration) -> ServerNames {
        var names = Set(["localhost"] + api.allowedHosts)
        if api.join.listen != nil { names.formUnion(api.join.allowedHosts) }
        var addresses: Set<String> = ["127.0.0.1", "::1"]
        for host in [api.listen?.host, api.join.listen?.host] {
            guard let host, let address = IPAddress(host) else { continue }
            addresses.insert("\(address)")
            if address.bytes.allSatisfy({ $0 == 0 }) {
                let machine = MachineAddresses.current
                addresses.formUnion(machine.addresses.map { "\($0)" })
                names.formUnion(machine.names)
            }
        }
        addresses.subtract(["0.0.0.0", "::"])
        return ServerNames(names: names, addresses: addresses)
    }
}

/// Renews the certificate that the gateway makes for a listener, before it ends, and when the clock was set.
package struct APICertificateRenewal: Service, CustomStringConvertible {
    private let certificates: APICertificates
    private let clock: ClockSteps
    private let configuration: @Sendable () -> APIConfiguration
    private let served: @Sendable () -> [UInt8]?
    private let serve: @Sendable (TLSServerContext) -> Void

    /// - Parameters:
    ///   - clock: reports that the time of day was set.
    ///   - configuration: the configuration in force.
    ///   - served: the certificate that new connections get, DER; nil without TLS.
    ///   - serve: gives new connections another certificate.
    package init(
        _ certificates: APICertificates, clock: ClockSteps, configuration: @escaping @Sendable () -> APIConfiguration,
        served: @escaping @Sendable () -> [UInt8]?, serve: @escaping @Sendable (TLSServerContext) -> Void
    ) {
        self.certificates = certificates
        self.clock = clock
        self.configuration = configuration
        self.served = served
        self.serve = serve
    }

    package var description: String { "API certificate" }

    package func run() async {
        await cancelWhenGracefulShutdown {
            await self.clock.repeating(every: .seconds(6 * 3600)) {
                if self.certificates.areOwn(self.configuration()) { await self.renew() }
            }
        }
    }

    private func renew() async {
        let api = self.configuration()
        do {
            let made = try await NIOThreadPool.singleton.runIfActive { try self.certificates.make(api) }
            guard let certificate = made?.context, certificate.leaf != self.served() else { return }
            self.serve(certificate)
            self.certificates.tell(api, certificate: certificate.leaf)
        } catch {
            self.certificates.logger.error(
                "The certificate of \(self.certificates.name) is not renewed", metadata: ["reason": "\(error)"])
        }
    }
}
