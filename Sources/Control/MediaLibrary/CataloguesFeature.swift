package import FeatureContract
import GatewayCore
import GatewayOperations
import GatewaySettings
package import MediaCatalogues
package import MediaPictures

/// The catalogues: lists of videos that callers browse, and load items of.
package final class CataloguesFeature: OperatingFeature {
    package let name = "catalogues"
    /// Reads and keeps the lists.
    package let catalogues: Catalogues
    private let pictures: Pictures

    /// - Parameter pictures: gives callers the pictures of items.
    package init(_ context: GatewayContext, pictures: Pictures) {
        self.pictures = pictures
        self.catalogues = Catalogues(
            version: context.version, events: context.events, group: context.eventLoops,
            logger: context.makeLogger("Catalogues"), seconds: context.wallClock)
        self.catalogues.configure(context.configuration.current.catalogues)
    }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.alone, self.catalogues)]
    }

    package static let offered: [Offer<CataloguesFeature>] = [
        Offer { ListCatalogues(catalogues: $0.catalogues) },
        Offer { GetCatalogue(media: CatalogueMedia($0.catalogues), pictures: $0.pictures) },
        Offer { RefreshCatalogue(catalogues: $0.catalogues) },
    ]

    package var warnings: [GatewayWarning] {
        get async {
            self.catalogues.standings.compactMap { standing in
                standing.fault.map {
                    GatewayWarning(
                        .catalogueFailed, "the catalogue '\(standing.name)' cannot be read: \($0.reason)")
                }
            }
        }
    }

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new.catalogues
        guard change.old.catalogues != new else { return nil }
        return PreparedChange(commit: { self.catalogues.configure(new) })
    }
}
