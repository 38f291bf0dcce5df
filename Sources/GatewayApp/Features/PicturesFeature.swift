import ControlAPI
import GatewayCore
import GatewayMetrics
import GatewayOperations
import MediaPictures

/// The pictures of media and apps: fetched, kept for a while, and given to callers of the API.
final class PicturesFeature: GatewayFeature {
    let name = "pictures"
    /// Fetches and keeps them.
    private let pictures: Pictures
    /// Gives their bytes over HTTP.
    let routes: PictureRoutes

    init(_ context: GatewayContext, pictures: Pictures, controls: DeviceControls) {
        self.pictures = pictures
        let desk = PictureDesk(controls: controls, pictures: pictures)
        self.routes = PictureRoutes(audit: context.audit) { place, picture, caller throws(OperationProblem) in
            try await desk.picture(picture, of: place, for: caller)
        }
        pictures.configure(context.configuration.current.pictures)
        context.metrics.add { pictures.isOn ? Self.families(pictures.standing) : [] }
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.alone, self.pictures)]
    }

    var operations: [any GatewayOperation] { [ClearPictures(pictures: self.pictures)] }

    func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new.pictures
        guard change.old.pictures != new else { return nil }
        return PreparedChange(commit: { self.pictures.configure(new) })
    }

    private static func families(_ standing: Pictures.Standing) -> [MetricFamily] {
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
