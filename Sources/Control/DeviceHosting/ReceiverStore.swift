import BuiltInReceiver
import CastIdentity
import CastWire
import FeatureContract
import GRDB
import GatewaySettings
import Logging
package import StateStore
import Synchronization
import VirtualDevices

/// Keeps what built-in receivers run in the state database, so that it goes on after the next start.
package final class ReceiverStore: ReceiverRecords {
    package static let schema = StateSchema.records(part: "receiver", tables: "the table of built-in receivers is")

    private let records: RecordStore<JSONObject>
    private let isGatewayGoing: @Sendable () -> Bool
    /// Records of earlier runs, until a device takes them.
    private let left: Mutex<[String: JSONObject]>

    /// Takes the state database, brings its table up to date, and reads it; blocks.
    /// - Parameters:
    ///   - devices: the names of the devices that there are; what is kept of others is struck out.
    ///   - isGatewayGoing: whether devices stop with the gateway, rather than by a reload that has removed them.
    /// - Throws: when the table cannot be made or read, or is a newer Castway's.
    init(
        _ database: any DatabaseWriter, devices: Set<String>, logger: Logger,
        isGatewayGoing: @escaping @Sendable () -> Bool
    ) throws {
        self.isGatewayGoing = isGatewayGoing
        self.records = try RecordStore(database, Self.schema) {
            JSONValue.object($0).text
        } report: { fault in
            if let fault {
                Self.sayFailing(fault, logger)
            } else {
                logger.notice("What built-in receivers run is written down again")
            }
        }
        var left: [String: JSONObject] = [:]
        for (device, details) in try self.records.load() {
            if devices.contains(device), let record = try? JSONReader.read(details).objectValue {
                left[device] = record
            } else {
                self.records.keep(nil, of: device)
            }
        }
        self.left = Mutex(left)
    }

    func take(device: String) -> JSONObject? { self.left.withLock { $0.removeValue(forKey: device) } }

    func keep(_ record: JSONObject?, of device: String) { self.records.keep(record, of: device) }

    func end(_ record: JSONObject?, of device: String) { self.keep(self.isGatewayGoing() ? record : nil, of: device) }

    /// Waits until everything that was to be kept is on disk, or has failed.
    func settle() async { await self.records.settle() }

    private static func sayFailing(_ fault: String, _ logger: Logger) {
        logger.error(
            "What built-in receivers run cannot be written down; it would not outlive the gateway",
            metadata: ["reason": "\(fault)"])
    }
}

extension ReceiverStore {
    /// Opens the store of a gateway; nil, which is said, when that is not possible. Blocks.
    static func open(_ identities: IdentityStore, _ context: GatewayContext) -> ReceiverStore? {
        let logger = context.makeLogger("VirtualDevice")
        let devices = context.configuration.current.virtualDevices.filter { $0.realDevice == nil }
        do {
            return try ReceiverStore(identities.database, devices: Set(devices.map(\.name)), logger: logger) {
                [lifecycle = context.lifecycle] in lifecycle.phase != .ready
            }
        } catch {
            Self.sayFailing(DatabaseErrorText.words(error), logger)
            return nil
        }
    }
}
