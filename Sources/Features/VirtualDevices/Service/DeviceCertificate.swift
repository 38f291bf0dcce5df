import CastIdentity
import CastTransport
import GatewayCore
import Logging
import Synchronization
import SystemPrimitives

/// The certificate of one virtual device's TLS layer, which lives two days: made, served to new channels, and renewed.
///
/// Channels keep the certificate that they were accepted with. Once an hour, and when the clock was set, ``renew(clock:_:)`` asks the
/// identity store, which makes a new one when the old one ends soon or has not begun. When it cannot be stored, the old one stays until its end is near; then one is
/// served that is stored nowhere, since senders refuse a certificate that has ended.
final class DeviceCertificate: Sendable {
    /// The source of a device's contexts.
    struct Source: Sendable {
        let identity: DeviceIdentity
        let logger: Logger
        /// Seconds since 1970.
        let wallClock: @Sendable () -> Int64

        /// Returns the stored certificate, or else one that is stored nowhere. Blocks while a key is made.
        func make(key: TLSKeyKind, from identities: IdentityStore) throws -> TLSServerContext {
            do {
                return try self.context(try identities.currentLeaf(for: self.identity, key: key, now: self.wallClock()))
            } catch {
                self.logger.warning("The TLS certificate is not stored", metadata: ["reason": "\(error)"])
                return try self.makeTransient(key: key, from: identities)
            }
        }

        func makeTransient(key: TLSKeyKind, from identities: IdentityStore) throws -> TLSServerContext {
            try self.context(try identities.transientLeaf(for: self.identity, key: key, now: self.wallClock()))
        }

        func context(_ leaf: TLSLeaf) throws -> TLSServerContext {
            try TLSServerContext(certificate: leaf.certificate, privateKey: leaf.privateKey, notAfter: leaf.notAfter)
        }
    }

    /// One that ends within this time is not worth keeping, in seconds.
    private static let lastUse: Int64 = 2 * 3600

    let source: Source
    private let terms: Current<VirtualDeviceTerms>
    private let context: Mutex<TLSServerContext>

    /// Makes the certificate that the device serves first. Blocks while a key is made.
    init(_ source: Source, terms: Current<VirtualDeviceTerms>) throws {
        let now = terms.value
        self.source = source
        self.terms = terms
        self.context = Mutex(try source.make(key: now.configuration.tlsKey, from: now.environment.identities))
    }

    /// The context for new channels.
    var current: TLSServerContext { self.context.withLock { $0 } }

    /// Serves another one to new channels from now on.
    func replace(by context: TLSServerContext) {
        self.context.withLock { $0 = context }
    }

    /// Checks every hour, and when the clock was set, whether the certificate ends soon or has not begun, until the task is cancelled.
    /// - Parameter identity: takes the identity of the device, whose own certificates are judged as well.
    func renew(clock: any Clock<Duration>, _ identity: (DeviceIdentity) async -> Void) async {
        await self.terms.value.environment.events.clock.repeating(every: .seconds(3600), by: clock) {
            if let current = self.judgedIdentity() { await identity(current) }
            self.judgeLeaf()
        }
    }

    /// The device's identity with certificates that are good now; nil, which is said, when there are none.
    private func judgedIdentity() -> DeviceIdentity? {
        do {
            return try self.terms.value.environment.identities.loadOrCreate(
                device: self.source.identity.name, now: self.source.wallClock())
        } catch {
            self.source.logger.error(
                "The certificates of the device are not renewed; that is tried again in an hour",
                metadata: ["reason": "\(error)"])
            return nil
        }
    }

    private func judgeLeaf() {
        let logger = self.source.logger
        do {
            let leaf = try self.terms.value.environment.identities.currentLeaf(
                for: self.source.identity, key: self.terms.value.configuration.tlsKey, now: self.source.wallClock())
            if leaf.certificate != self.current.leaf {
                self.replace(by: try self.source.context(leaf))
                logger.info("TLS certificate renewed")
            }
        } catch {
            logger.error(
                "TLS certificate not renewed; it is tried again in an hour", metadata: ["reason": "\(error)"])
            self.replaceIfEnding()
        }
    }

    private func replaceIfEnding() {
        let (source, terms) = (self.source, self.terms.value)
        guard self.current.notAfter - source.wallClock() < Self.lastUse else { return }
        do {
            self.replace(
                by: try source.makeTransient(
                    key: terms.configuration.tlsKey, from: terms.environment.identities))
            source.logger.warning("TLS certificate renewed, but not stored")
        } catch {
            source.logger.error("No TLS certificate can be made", metadata: ["reason": "\(error)"])
        }
    }
}
