package import CastWire
package import GatewayOperations

/// Gives operations the media that items of catalogues are.
package struct CatalogueMedia: Sendable {
    /// The problems of an input that names an item.
    package static let problems = [
        unknownCatalogue, notRead,
        OperationProblemCase("unknown_item", 404, "the catalogue has no such item, or none in the wanted form"),
    ]
    /// That of an input that names a catalogue.
    package static let unknownCatalogue = OperationProblemCase("unknown_catalogue", 404, "there is no such catalogue")
    /// That of a catalogue without a list.
    package static let notRead = OperationProblemCase("catalogue_not_read", 409, "the list has not been read so far")

    /// Keeps the lists.
    package let catalogues: Catalogues

    package init(_ catalogues: Catalogues) {
        self.catalogues = catalogues
    }

    /// How a catalogue stands, and its list.
    /// - Throws: `unknown_catalogue` (404), `catalogue_not_read` (409).
    package func list(_ name: String) throws(OperationProblem) -> (standing: CatalogueStatus, list: CatalogueList) {
        let standing = try Self.standing(name, of: self.catalogues)
        guard let list = standing.list else {
            throw OperationProblem(
                "catalogue_not_read", status: 409, "the list of the catalogue '\(name)' has not been read so far")
        }
        return (standing, list)
    }

    /// How a catalogue stands.
    /// - Throws: `unknown_catalogue` (404).
    package static func standing(_ name: String, of catalogues: Catalogues) throws(OperationProblem)
        -> CatalogueStatus
    {
        guard let standing = catalogues.standing(name) else {
            throw .missing("unknown_catalogue", "there is no catalogue '\(name)'")
        }
        return standing
    }

    /// The medium that an item is.
    /// - Parameter contentType: the MIME type of the source that is wanted; nil for the one that `prefer` puts first.
    /// - Throws: as ``list(_:)``; `unknown_item` (404).
    package func medium(
        _ catalogue: String, _ item: String, as contentType: String? = nil
    ) throws(OperationProblem) -> MediaInformation {
        let (standing, list) = try self.list(catalogue)
        guard let found = list.items.first(where: { $0.id == item }) else {
            throw .missing("unknown_item", "the catalogue '\(catalogue)' has no item '\(item)'")
        }
        guard let medium = found.medium(as: contentType, order: standing.prefer) else {
            throw .missing("unknown_item", "the item '\(item)' has no source of the type '\(contentType ?? "")'")
        }
        return medium
    }

    /// Queue items in which `catalogue` and `item` stand in the place of `media`.
    /// - Throws: as ``medium(_:_:as:)``.
    package func items(_ items: [JSONValue]) throws(OperationProblem) -> [JSONValue] {
        var resolved: [JSONValue] = []
        for element in items {
            guard var object = element.objectValue, object["media"] == nil,
                let catalogue = object.string("catalogue"), let item = object.string("item")
            else {
                resolved.append(element)
                continue
            }
            object["catalogue"] = nil
            object["item"] = nil
            object["media"] = .object(try self.medium(catalogue, item).json)
            resolved.append(.object(object))
        }
        return resolved
    }
}
