package import ControlAPI
package import FeatureContract
import GatewayCore
package import GatewayMetrics
package import GatewayOperations
import GatewaySettings
package import MediaCatalogues
package import MediaPictures

/// The pictures of media and apps: fetched, kept for a while, and given to callers of the API.
package final class PicturesFeature: OperatingFeature {
    /// Looks up the addresses of the pictures that a device names, for a caller.
    package typealias OfDevice =
        @Sendable (_ device: DeviceReference, _ caller: Caller) async throws(OperationProblem) -> [String]

    package let name = "pictures"
    /// Fetches and keeps them.
    private let pictures: Pictures
    /// Gives their bytes over HTTP.
    package let routes: [any APIRoutes]

    /// - Parameter ofDevice: the pictures that a device names.
    package init(_ context: GatewayContext, pictures: Pictures, catalogues: Catalogues, ofDevice: @escaping OfDevice) {
        self.pictures = pictures
        let desk = PictureLookup(catalogues: CatalogueMedia(catalogues), pictures: pictures, ofDevice: ofDevice)
        self.routes = [
            PictureRoutes(audit: context.audit) { place, picture, caller throws(OperationProblem) in
                try await desk.picture(picture, of: place, for: caller)
            }
        ]
        pictures.configure(context.configuration.current.pictures)
    }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.alone, self.pictures)]
    }

    package static let offered: [Offer<PicturesFeature>] = [
        Offer { ClearPictures(pictures: $0.pictures) }
    ]

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new.pictures
        guard change.old.pictures != new else { return nil }
        return PreparedChange(commit: { self.pictures.configure(new) })
    }

    package func metrics(for scrape: MetricsScrape) -> [MetricFamily] {
        guard self.pictures.isOn else { return [] }
        let standing = self.pictures.standing
        var (requests, fetches) = (MetricFamily(.pictureRequests), MetricFamily(.pictureFetches))
        requests.add(["hit"], Double(standing.hits))
        requests.add(["miss"], Double(standing.misses))
        requests.add(["busy"], Double(standing.refusals))
        fetches.add(["ok"], Double(standing.fetched))
        fetches.add(["failed"], Double(standing.failures))
        return [
            requests, fetches, MetricFamily(.pictureFetchedBytes, Double(standing.fetchedBytes)),
            MetricFamily(.picturesKept, Double(standing.pictures)),
            MetricFamily(.pictureBytes, Double(standing.bytes)),
        ]
    }
}
