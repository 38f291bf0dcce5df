import DeviceSessions
package import FeatureContract
package import GatewayOperations
package import HTTPFetching
package import MediaCatalogues
package import MediaPictures
package import VirtualDevices

/// What callers can have devices do, real and virtual ones alike: sessions, media, queue, volume, messages.
///
/// It owns no devices: it acts on the real ones through the gateway's own channels and sessions, and on the virtual ones as one
/// more sender.
package final class DeviceControlFeature: GatewayFeature {
    package let name = "device control"
    /// Finds devices and sessions for callers, and acts on them.
    package let controls: DeviceControls

    package init(
        _ context: GatewayContext, resolver: DeviceResolver, devices: RealDevicesFeature,
        senders: VirtualDeviceSenders, door: ChannelIngress, prober: any HTTPProbing, catalogues: Catalogues,
        pictures: Pictures
    ) {
        self.controls = DeviceControls(
            context: context, resolver: resolver,
            devices: devices, senders: senders, door: door,
            prober: prober, catalogue: CatalogueMedia(catalogues), pictures: pictures)
    }

    private static let types: [any DeviceControlOperation.Type] = [
        AnnounceInSession.self, BroadcastMessage.self, CheckMedia.self, ChoosePicture.self, CloseChannel.self,
        EndSession.self, GetMedia.self, GetSession.self, GetVolume.self, HandOverSession.self, InsertQueueItems.self,
        JoinSession.self, JumpInQueue.self, ListChannels.self, ListQueue.self, LoadMedia.self, MoveQueueItems.self,
        NextQueueItem.self,
        OpenChannel.self, PauseMedia.self, PlayMedia.self, PreviousQueueItem.self, RemoveQueueItems.self,
        SettleHandOver.self, RequestMedia.self, RestoreSession.self, ResumeSession.self, SeekMedia.self,
        SelectTracks.self, SendMessage.self, SendToSender.self, SetPlaybackRate.self, SetRepeatMode.self,
        SetStreamVolume.self, SetTextStyle.self, SetVolume.self, ShuffleQueue.self, SkipAd.self, SnapshotSession.self,
        StartSession.self, StopMedia.self, SuspendSession.self, TransferSession.self, UpdateQueueItems.self,
    ]

    package static var operationTypes: [any GatewayOperation.Type] { Self.types }

    package var operations: [any GatewayOperation] { Self.types.map { $0.init(controls: self.controls) } }
}
