import CastClient
import CastWire
package import FeatureContract
package import GatewayOperations
import SystemPrimitives

extension DeviceControls {
    /// The limit of pictures of one device that can be asked for.
    private static let mostPictures = 200
    /// The time limit for event loops that know what plays.
    private static let patience = Duration.seconds(2)

    /// The addresses of the pictures that a device names: those of what plays, of the app, and of the queue, in this order.
    /// - Throws: as ``device(_:for:)``.
    package func pictures(
        of reference: DeviceReference, for caller: Caller
    ) async throws(OperationProblem) -> [String] {
        let device = try self.device(reference, for: caller)
        let (media, platform) = await EventLoopTimeout.$current.withValue(EventLoopTimeout(Self.patience)) {
            (await device.media(), await device.knownStatus())
        }
        var addresses = Self.pictures(of: media.media)
        addresses += platform?.applications.compactMap(\.iconURL) ?? []
        for item in media.status?.items ?? [] where addresses.count < Self.mostPictures {
            addresses += Self.pictures(of: item.media)
        }
        return Array(addresses.prefix(Self.mostPictures))
    }

    private static func pictures(of media: MediaInformation?) -> [String] {
        media?.metadata?.images.prefix(Self.mostPictures).compactMap(\.url) ?? []
    }
}
