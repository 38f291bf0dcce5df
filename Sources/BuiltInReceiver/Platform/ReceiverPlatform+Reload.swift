import CastWire
import GatewayCore
import NIOCore

/// Another configuration while the receiver is on.
extension ReceiverPlatform {
    /// Takes another configuration. The app that runs goes on as it was launched, also when it is not offered any more.
    mutating func reconfigure(
        _ configuration: ReceiverConfiguration, description: any DeviceDescription, at now: NIODeadline
    ) -> [Action] {
        let before = ReceiverStatusPayload(self.status).payload
        let isNewVolume = self.configuration.volume != configuration.volume
        if isNewVolume {
            // A level that was not changed in the file is the senders' to keep.
            let keepsLevel = self.configuration.volume.level == configuration.volume.level
            self.volume = DeviceVolume(configuration.volume, keeping: self.volume, keepsLevel: keepsLevel)
        }
        self.configuration = configuration
        self.description = description
        self.profiles = Self.profiles(of: configuration)
        var actions: [Action] = []
        if !configuration.backdrop, self.application?.isIdleScreen == true {
            actions += self.leaveApplication(.stopped)
        } else {
            _ = self.showIdleScreen()
        }
        if before != ReceiverStatusPayload(self.status).payload { actions.append(self.statusBroadcast) }
        return actions + self.checkIdle(at: now)
    }

    /// Ends everything, because something else takes the receiver's place.
    mutating func giveWay() -> [Action] {
        self.cancelLaunch() + self.leaveApplication(.replaced)
    }
}
