import CastClient
import CastDiscovery
import CastWire
import GatewayCore

extension SessionHost {
    /// The record of the session; nil before its app runs, and when that is gone.
    var record: SessionRecord? {
        guard !self.isGone, let application = self.machine.application else { return nil }
        // A session on a device that is asked for no proof keeps none; one that is away keeps what it had.
        if self.provenDevice == nil, self.transport != nil {
            self.provenDevice = self.device.link.authenticator?.provenDevice
        }
        var record = SessionRecord(
            device: self.device.name, addresses: self.device.link.candidates.all, app: self.machine.app,
            application: application, options: self.machine.options, suspendReason: self.machine.state.suspendReason,
            media: self.storedMedia)
        record.category = self.category
        record.deviceID = self.device.link.identity?.id
        record.provenDevice = self.provenDevice
        return record
    }

    /// Takes what an earlier run wrote down of the media and the device.
    func restore(_ record: SessionRecord) {
        self.storedMedia = record.media
        self.category = record.category
        self.provenDevice = record.provenDevice
    }

    /// True if the device that answers now has proved to be another than the one on which the app was reached. Without a proof of
    /// both, the app tells which device it is.
    var isOtherDevice: Bool {
        guard let provenDevice, let present = self.device.link.authenticator?.provenDevice else { return false }
        return present != provenDevice
    }
}
