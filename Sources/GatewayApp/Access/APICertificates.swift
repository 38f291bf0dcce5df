import CastIdentity
import CastTransport
import ControlAPI
import GatewayConfig
import Logging
import NIOCore
import Synchronization

/// Makes what TLS of the API serves: a certificate under the gateway's root, or that of the operator's files.
final class APICertificates: Sendable {
    /// What `api.tls` came to.
    struct Made: Sendable {
        /// What is served.
        let context: TLSServerContext
        fileprivate var files: [PEMFile] = []
    }

    private let identities: IdentityStore
    private let wallClock: @Sendable () -> Int64
    let logger: Logger
    /// The files as they are served.
    private let served = Mutex<[PEMFile]>([])

    init(identities: IdentityStore, wallClock: @escaping @Sendable () -> Int64, logger: Logger) {
        self.identities = identities
        self.wallClock = wallClock
        self.logger = logger
    }

    /// What `api.tls` comes to; nil without it. Blocks.
    /// - Throws: `IdentityError`, or what is wrong with the files.
    func make(_ api: APIConfiguration) throws -> Made? {
        guard api.listen != nil else { return nil }
        switch api.tls {
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
    func served(_ made: Made?) { self.served.withLock { $0 = made?.files ?? [] } }

    /// Whether the files say something else than what is served. Blocks.
    func filesHaveChanged(_ api: APIConfiguration) -> Bool {
        guard api.listen != nil, case .files(let certificate, let privateKey) = api.tls else { return false }
        let files = [certificate, privateKey].compactMap { try? PEMFile(path: $0) }
        return files != self.served.withLock { $0 }
    }

    /// Says by which fingerprint callers know the certificate.
    func tell(_ api: APIConfiguration, certificate: TLSServerContext?) {
        guard let certificate, let digest = try? HashAlgorithm.sha256.digest(of: certificate.leaf) else { return }
        let digits = digest.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.count == 1 ? "0" + text : text
        }
        self.logger.info(
            "TLS of the API",
            metadata: [
                "sha256": "\(digits.joined(separator: ":"))",
                "certificate": "\(api.tls == .automatic ? "made under the gateway's root" : "of the operator")",
            ])
    }

    /// Whatever callers may reach it by: names that are configured, and for the machine itself all that it has.
    private static func names(_ api: APIConfiguration) -> ServerNames {
        var names = Set(["localhost"] + api.allowedHosts)
        var addresses: Set<String> = ["127.0.0.1", "::1"]
        if let host = api.listen?.host, let address = IPAddress(host) {
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
