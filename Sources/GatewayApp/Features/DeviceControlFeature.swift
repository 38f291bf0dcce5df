import DeviceSessions
import GatewayOperations
import VirtualDevices

/// What callers can have devices do, real and virtual ones alike: sessions, media, queue, volume, messages.
///
/// It owns no devices: it acts on the real ones through the gateway's own channels and sessions, and on the virtual ones as one
/// more sender.
final class DeviceControlFeature: GatewayFeature {
    let name = "device control"
    /// Finds devices and sessions for callers, and acts on them.
    let controls: DeviceControls

    init(
        _ context: GatewayContext, resolver: DeviceResolver, devices: RealDevicesFeature,
        virtualDevices: VirtualDevicesFeature, door: ChannelDoor
    ) {
        self.controls = DeviceControls(
            context: context, resolver: resolver,
            devices: devices, senders: VirtualDeviceSenders(virtualDevices.running), door: door)
    }

    /// The types of its operations.
    static let operationTypes: [any GatewayOperation.Type] = [
        AnnounceInSession.self, BroadcastMessage.self, EndSession.self, GetMedia.self, GetSession.self,
        GetVolume.self, InsertQueueItems.self, JumpInQueue.self, ListQueue.self, LoadMedia.self,
        MoveQueueItems.self, NextQueueItem.self, PauseMedia.self, PlayMedia.self, PreviousQueueItem.self,
        RemoveQueueItems.self, RestoreSession.self, ResumeSession.self, SeekMedia.self, SelectTracks.self,
        SendMessage.self, SetPlaybackRate.self, SetRepeatMode.self, SetStreamVolume.self, SetTextStyle.self,
        SetVolume.self, ShuffleQueue.self, SkipAd.self, SnapshotSession.self, StartSession.self, StopMedia.self,
        SuspendSession.self, TransferSession.self, UpdateQueueItems.self,
    ]

    var operations: [any GatewayOperation] {
        [
            AnnounceInSession(controls: self.controls), BroadcastMessage(controls: self.controls),
            EndSession(controls: self.controls), GetMedia(controls: self.controls),
            GetSession(controls: self.controls), GetVolume(controls: self.controls),
            InsertQueueItems(controls: self.controls), JumpInQueue(controls: self.controls),
            ListQueue(controls: self.controls), LoadMedia(controls: self.controls),
            MoveQueueItems(controls: self.controls), NextQueueItem(controls: self.controls),
            PauseMedia(controls: self.controls), PlayMedia(controls: self.controls),
            PreviousQueueItem(controls: self.controls), RemoveQueueItems(controls: self.controls),
            RestoreSession(controls: self.controls), ResumeSession(controls: self.controls),
            SeekMedia(controls: self.controls), SelectTracks(controls: self.controls),
            SendMessage(controls: self.controls), SetPlaybackRate(controls: self.controls),
            SetRepeatMode(controls: self.controls), SetStreamVolume(controls: self.controls),
            SetTextStyle(controls: self.controls), SetVolume(controls: self.controls),
            ShuffleQueue(controls: self.controls), SkipAd(controls: self.controls),
            SnapshotSession(controls: self.controls), StartSession(controls: self.controls),
            StopMedia(controls: self.controls), SuspendSession(controls: self.controls),
            TransferSession(controls: self.controls), UpdateQueueItems(controls: self.controls),
        ]
    }
}
