import CastWire
import GatewayConfig

/// The changes of payloads by a rule: members that are set, and members that are removed.
struct PayloadRewrite: Sendable {
    enum Outcome: Equatable {
        case unchanged
        case changed(CastMessage.Payload)
        /// A member on the way cannot be told for sure.
        case unclear(String)
    }

    /// The outermost members that no rule changes, since they say which message it is and which request it belongs to.
    static let protectedNames: Set<String> = ["type", "responseType", "requestId", "request_id"]

    private let changes: [(place: JSONPointer, value: JSONValue?)]

    /// Takes what a checked rule says. First members are removed, then others are set, each in the order of the file.
    init(set: [ConfigMapEntry<JSONValue>], remove: [String]) {
        let removals = remove.map { (JSONPointer($0), JSONValue?.none) }
        let additions = set.map { (JSONPointer($0.key), JSONValue?.some($0.value)) }
        self.changes = (removals + additions).compactMap { pointer, value in pointer.map { (place: $0, value: value) } }
    }

    /// Changes a payload. One without members is left alone.
    func apply(to payload: CastMessage.Payload, read reading: PayloadReading) -> Outcome {
        switch reading {
        case .unreadable(let reason): return .unclear(reason)
        case .noMembers: return .unchanged
        case .object: break
        }
        guard let original = payload.jsonObject else { return .unclear("the payload is no JSON object") }
        var value = JSONValue.object(original)
        do throws(UnclearValue) {
            for change in self.changes {
                value = try Self.edit(value, change.place.names[...], change.value, of: change.place)
            }
        } catch {
            return .unclear(error.reason)
        }
        guard case .object(let object) = value, object != original else { return .unchanged }
        return .changed(.json(object))
    }

    /// The value with the member at a place set, or removed.
    private static func edit(
        _ value: JSONValue, _ names: ArraySlice<String>, _ new: JSONValue?, of place: JSONPointer
    ) throws(UnclearValue) -> JSONValue {
        guard let name = names.first else { return value }
        let rest = names.dropFirst()
        switch value {
        case .object(var object):
            let inner = try object.soleMember(name)
            if rest.isEmpty {
                object[name] = new
            } else if let inner {
                object[name] = try self.edit(inner, rest, new, of: place)
            } else if new != nil {
                object[name] = try self.edit([:], rest, new, of: place)
            }
            return .object(object)
        case .array(var elements):
            guard let index = self.index(name, in: elements, appends: new != nil) else {
                if new == nil { return value }
                throw UnclearValue(reason: "'\(place.text)' leads beyond a list")
            }
            if index == elements.count { elements.append(rest.isEmpty ? .null : [:]) }
            if !rest.isEmpty {
                elements[index] = try self.edit(elements[index], rest, new, of: place)
            } else if let new {
                elements[index] = new
            } else {
                elements.remove(at: index)
            }
            return .array(elements)
        case .null where new != nil: return try self.edit([:], names, new, of: place)
        case .null, .bool, .number, .string:
            if new == nil { return value }
            throw UnclearValue(reason: "'\(place.text)' leads through a single value")
        }
    }

    /// The index that a name stands for in a list; that behind the last element only when one may be appended.
    private static func index(_ name: String, in elements: [JSONValue], appends: Bool) -> Int? {
        if name == "-" { return appends ? elements.count : nil }
        guard let index = Int(name), String(index) == name, index >= 0 else { return nil }
        return index < elements.count || appends && index == elements.count ? index : nil
    }
}

/// The highest volume that senders may ask for.
struct VolumeCeiling: Sendable {
    /// 0 to 1.
    let level: Double

    /// Lowers the level of a SET_VOLUME that asks for more. A level that cannot be told for sure is unclear.
    func apply(to payload: CastMessage.Payload) -> PayloadRewrite.Outcome {
        guard var object = payload.jsonObject else { return .unclear("the payload is no JSON object") }
        do throws(UnclearValue) {
            guard let member = try object.soleMember("volume") else { return .unchanged }
            guard case .object(var volume) = member else { return .unclear("'volume' is no object") }
            guard let wanted = try volume.soleMember("level") else { return .unchanged }
            guard case .number(let number) = wanted else { return .unclear("'level' is no number") }
            guard !(number.doubleValue <= self.level) else { return .unchanged }
            volume["level"] = .number(self.level)
            object["volume"] = .object(volume)
            return .changed(.json(object))
        } catch {
            return .unclear(error.reason)
        }
    }
}
