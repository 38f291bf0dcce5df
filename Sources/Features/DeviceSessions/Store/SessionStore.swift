import CastWire
package import GRDB
package import Logging
package import StateStore

/// Writes sessions down in the state database, so that another run of the gateway can take them up.
package final class SessionStore: SessionRecordStore {
    package static let schema = StateSchema.records(part: "session", tables: "the session tables are")

    private let records: RecordStore<SessionRecord>
    private let logger: Logger

    /// Takes the state database and brings its session tables up to date; blocks.
    /// - Throws: when the tables cannot be made, or are a newer Castway's.
    package init(database: any DatabaseWriter, logger: Logger) throws {
        self.logger = logger
        self.records = try RecordStore(database, Self.schema) {
            JSONValue.object($0.json).text
        } report: { fault in
            if let fault {
                logger.error(
                    "Sessions cannot be written down; they would not outlive the gateway",
                    metadata: ["reason": "\(fault)"])
            } else {
                logger.notice("Sessions are written down again")
            }
        }
    }

    /// Writes a session down soon, in the place of what was written of its device.
    package func save(_ record: SessionRecord) { self.records.keep(record, of: record.device) }

    /// Removes the record of a device soon.
    package func remove(device: String) { self.records.keep(nil, of: device) }

    /// Everything that is written down, in the order of the devices' names; blocks. A record that cannot be read is left
    /// out, and said.
    /// - Throws: when the database cannot be read.
    package func load() throws -> [SessionRecord] {
        try self.records.load().compactMap { device, details in
            if let json = try? JSONReader.read(details).objectValue,
                let record = SessionRecord(device: device, json: json)
            {
                return record
            }
            self.logger.warning(
                "A stored session cannot be read, and is left out", metadata: ["target": "\(device)"])
            return nil
        }
    }

    /// Waits until everything that was asked for is on disk, or has failed.
    package func settle() async { await self.records.settle() }
}
