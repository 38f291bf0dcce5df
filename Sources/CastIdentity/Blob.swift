import FoundationEssentials
import GRDB

/// Bytes on their way into and out of the state database, which speaks `Data`.
struct Blob: DatabaseValueConvertible, Equatable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var databaseValue: DatabaseValue {
        Data(self.bytes).databaseValue
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Blob? {
        Data.fromDatabaseValue(value).map { Blob([UInt8]($0)) }
    }
}
