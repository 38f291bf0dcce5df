import CastWire
import GatewayCore

extension [CastQueueChange] {
    /// Of a longer queue an event names the first items alone.
    private static let maximumItems = 1000

    /// The members of `media.queue` beside the session.
    /// - Parameter items: the ids of all items; nil while they are not known.
    func json(of items: [Int]?) -> JSONObject {
        var json: JSONObject = ["via": "own"]
        if let items {
            json["item_ids"] = .array(items.prefix(Self.maximumItems).map { .number($0) })
            json["total"] = .number(items.count)
        }
        if !self.isEmpty { json["changes"] = .array(self.map { .object($0.json) }) }
        return json
    }
}

extension CastQueueChange {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["change": .string(self.kind.rawValue)]
        guard self.kind != .reloaded else { return json }
        json["items"] = .array(self.items.map { .number($0) })
        json["indexes"] = .array(self.indexes.map { .number($0) })
        json["before"] = self.before.map { .number($0) }
        return json
    }
}
