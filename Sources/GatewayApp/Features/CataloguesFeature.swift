import GatewayCore
import GatewayOperations
import MediaCatalogues
import MediaPictures

/// The catalogues: lists of videos that callers browse, and load items of.
final class CataloguesFeature: GatewayFeature {
    let name = "catalogues"
    /// Reads and keeps the lists.
    let catalogues: Catalogues
    private let pictures: Pictures

    /// - Parameter pictures: gives callers the pictures of items.
    init(_ context: GatewayContext, pictures: Pictures) {
        self.pictures = pictures
        self.catalogues = Catalogues(
            version: context.version, events: context.events, group: context.eventLoops,
            logger: context.makeLogger("Catalogues"), seconds: context.wallClock)
        self.catalogues.configure(context.configuration.current.catalogues)
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.alone, self.catalogues)]
    }

    var operations: [any GatewayOperation] {
        [
            ListCatalogues(catalogues: self.catalogues),
            GetCatalogue(media: CatalogueMedia(self.catalogues), pictures: self.pictures),
            RefreshCatalogue(catalogues: self.catalogues),
        ]
    }

    var warnings: [GatewayWarning] {
        get async {
            self.catalogues.standings.compactMap { standing in
                standing.fault.map {
                    GatewayWarning(
                        .catalogueFailed, "the catalogue '\(standing.name)' cannot be read: \($0.reason)")
                }
            }
        }
    }

    func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new.catalogues
        guard change.old.catalogues != new else { return nil }
        return PreparedChange(commit: { self.catalogues.configure(new) })
    }
}
