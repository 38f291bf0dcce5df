import CastClient
import CastWire

extension CastTarget {
    /// Changes the device's volume and prints the status afterwards.
    /// - Parameter change: what to ask for, from the volume now; nil when the device does not tell it.
    /// - Throws: ``CommandFailure`` for a device whose volume is fixed, which takes the request and changes nothing.
    func changeVolume(_ change: (ReceiverVolume?) throws -> ReceiverVolume) async throws {
        try await self.withDevice { device in
            let volume = try await device.status().status?.volume
            if volume?.controlType == .fixed {
                throw CommandFailure(
                    .refused, "the volume of this device is fixed: change it at the amplifier or television behind it")
            }
            self.show(try await device.setVolume(try change(volume)))
        }
    }
}
