import CastIdentity
import GatewaySettings
import Logging
import NIOCore
import NIOPosix
import VirtualDevices

/// Makes what virtual devices need before they can listen: identities and TLS certificates, on all processors at once.
struct IdentityPreparation {
    /// A start with this many new devices takes long enough to say how far it is.
    private static let worthTelling = 4

    let identities: IdentityStore
    let now: Int64
    let logger: Logger

    /// Loads or makes the identity of every device; an RSA key takes up to a second on a slow machine, and a new device
    /// has two.
    /// - Returns: the ids of the devices, in their order.
    /// - Throws: `IdentityError` of the first device that cannot be had.
    func prepare(_ devices: [VirtualDeviceConfiguration]) async throws -> [String] {
        let (identities, now, logger) = (self.identities, self.now, self.logger)
        let missing = Set(try identities.missing(of: devices.map(\.name)))
        let isTold = missing.count >= Self.worthTelling && identities.volatility == nil
        if isTold {
            logger.notice(
                "Making the keys of new virtual devices, once and for all",
                metadata: ["devices": .stringConvertible(missing.count)])
        }
        // Otherwise each of those that work at the same time would make a root, and all but one in vain.
        if !missing.isEmpty, identities.volatility == nil { _ = try identities.root(now: now) }
        return try await withThrowingTaskGroup(of: (index: Int, id: String).self) { group in
            var ids = [String](repeating: "", count: devices.count)
            var next = 0
            var made = 0
            while next < devices.count || !group.isEmpty {
                if next < devices.count, next < System.coreCount {
                    self.prepare(devices[next], at: next, in: &group)
                    next += 1
                    continue
                }
                guard let (index, id) = try await group.next() else { break }
                ids[index] = id
                if next < devices.count {
                    self.prepare(devices[next], at: next, in: &group)
                    next += 1
                }
                guard missing.contains(devices[index].name) else { continue }
                made += 1
                if isTold, made == missing.count || made.isMultiple(of: max(missing.count / 4, 1)) {
                    logger.notice(
                        "Keys made",
                        metadata: ["made": .stringConvertible(made), "devices": .stringConvertible(missing.count)])
                }
            }
            return ids
        }
    }

    private func prepare(
        _ device: VirtualDeviceConfiguration, at index: Int,
        in group: inout ThrowingTaskGroup<(index: Int, id: String), any Error>
    ) {
        let (identities, now) = (self.identities, self.now)
        group.addTask {
            try await NIOThreadPool.singleton.runIfActive {
                let identity = try identities.loadOrCreate(device: device.name, now: now)
                // A device that cannot store its certificate says so itself, and makes do with one that is not stored.
                _ = try? identities.currentLeaf(for: identity, key: device.tlsKey, now: now)
                return (index, identity.idHex)
            }
        }
    }
}
