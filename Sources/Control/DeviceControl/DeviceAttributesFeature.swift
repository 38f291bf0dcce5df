package import CastIdentity
import CastWire
import DeviceSessions
package import FeatureContract
import GatewayCore
import GatewayOperations
import NIOPosix
import StateStore
import Synchronization

/// What callers keep with real devices: names and texts, by the devices' ids, that outlive the gateway.
package final class DeviceAttributesFeature: OperatingFeature {
    /// How many one device may have.
    static let maximumPerDevice = 32
    /// How many devices may have some.
    static let maximumDevices = 1024

    package let name = "device attributes"
    /// Finds the devices.
    let resolver: DeviceResolver
    private let store: DeviceAttributeStore
    /// What is kept; held while it is written, so that one change comes after the other.
    private let attributes: Mutex<[String: [String: String]]>
    /// Where writing happens.
    private let pool = NIOThreadPool.singleton

    /// - Parameter identities: where the database is that attributes are kept in.
    /// - Throws: when the state database cannot be read.
    package init(identities: IdentityStore, resolver: DeviceResolver) throws {
        self.resolver = resolver
        let store = try DeviceAttributeStore(identities.database)
        let kept = try store.load()
        self.store = store
        self.attributes = Mutex(kept)
        for (id, attributes) in kept {
            resolver.discovery.set(attributes: attributes.mapValues { $0 }, of: id)
        }
    }

    package static let offered: [Offer<DeviceAttributesFeature>] = [
        Offer { SetDeviceAttributes(feature: $0) }
    ]

    /// Changes what is kept with a device.
    /// - Parameters:
    ///   - new: what is kept from now on.
    ///   - names: what is kept no more.
    /// - Returns: all that is kept with it then.
    /// - Throws: `too_many_attributes` (409), `not_kept` (409) when it cannot be written; nothing has changed then.
    func change(
        _ device: String, set new: [String: String], remove names: [String]
    ) async throws(OperationProblem) -> [String: String] {
        do {
            return try await self.pool.runIfActive {
                try self.attributes.withLock { all in
                    var own = all[device] ?? [:]
                    own.merge(new) { $1 }
                    for name in names { own[name] = nil }
                    let isOneMore = all[device] == nil && !own.isEmpty
                    guard own.count <= Self.maximumPerDevice, !isOneMore || all.count < Self.maximumDevices else {
                        throw Self.tooMany
                    }
                    try self.store.write(own, of: device)
                    var told: [String: String?] = [:]
                    for name in names + new.keys { told.updateValue(own[name], forKey: name) }
                    self.resolver.discovery.set(attributes: told, of: device)
                    all[device] = own.isEmpty ? nil : own
                    return own
                }
            }
        } catch let problem as OperationProblem {
            throw problem
        } catch is NIOThreadPoolError.ThreadPoolInactive {
            throw OperationProblem(GatewayError(.unavailable, "the gateway is stopping"))
        } catch {
            throw OperationProblem(
                "not_kept", status: 409,
                "nothing has changed, since the state cannot be written: \(DatabaseErrorText.words(error))")
        }
    }

    private static let tooMany = OperationProblem(
        "too_many_attributes", status: 409,
        "a device may have \(maximumPerDevice) attributes, and \(maximumDevices) devices may have some")
}
