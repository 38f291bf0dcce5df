import CastWire
import NIOCore

/// Messages of device authentication read the same when they are written again.
package enum DeviceAuthTarget: FuzzTarget {
    /// `device-auth`
    package static let name = "device-auth"

    /// Reads a message, writes it, reads it again.
    package static func run(_ input: [UInt8]) throws {
        guard let message = try? DeviceAuthMessage(parsing: ByteBuffer(bytes: input)) else { return }
        let again = try DeviceAuthMessage(parsing: message.serialize())
        try Violation.unless(message == again, "read \(message), wrote and read \(again)")
    }
}
