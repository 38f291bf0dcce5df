import DeviceSessions
import GatewayOperations
import HTTPFetching
import MediaCatalogues
import MediaPictures
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
        virtualDevices: VirtualDevicesFeature, door: ChannelDoor, prober: any HTTPProbing, catalogues: Catalogues,
        pictures: Pictures
    ) {
        self.controls = DeviceControls(
            context: context, resolver: resolver,
            devices: devices, senders: VirtualDeviceSenders(virtualDevices.running), door: door,
            prober: prober, catalogue: CatalogueMedia(catalogues), pictures: pictures)
    }

    /// The types of its operations.
    static let operationTypes: [any DeviceControlOperation.Type] = [
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

    var operations: [any GatewayOperation] { Self.operationTypes.map { $0.init(controls: self.controls) } }
}
