package import CastWire

/// An object in a line each of whose members is declared once: an element of ``members``, in the order in which they are
/// written. Reader, writer and the texts of faults follow from the list.
///
/// Made for what is read a few times in a plugin's life. Messages, verdicts and events pass all the time and are read by hand,
/// without values in between.
package protocol WireRecord: WireObject {
    /// The members, in the order in which they are read and written.
    static var members: [WireMember<Self>] { get }

    /// The values before anything is read: the defaults, and something empty for what has to be there.
    static var blank: Self { get }

    /// Judges the values when all were read.
    /// - Throws: ``PluginWireError`` that names the member at fault.
    func check(_ reader: ObjectReader) throws(PluginWireError)
}

extension WireRecord {
    /// One of the type's members.
    package typealias Member = WireMember<Self>

    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self = Self.blank
        for member in Self.members { try member.read(reader, &self) }
        try self.check(reader)
    }

    package var json: JSONObject {
        var json = JSONObject()
        for member in Self.members { member.write(self, &json) }
        return json
    }

    /// Every value goes with every other.
    package func check(_ reader: ObjectReader) throws(PluginWireError) {}
}

/// One member of a ``WireRecord``: its name and the property that holds its value.
package struct WireMember<Root: Sendable>: Sendable {
    package typealias Property<Value> = any WritableKeyPath<Root, Value> & Sendable

    fileprivate let read: @Sendable (ObjectReader, inout Root) throws(PluginWireError) -> Void
    fileprivate let write: @Sendable (Root, inout JSONObject) -> Void

    private init(
        read: @escaping @Sendable (ObjectReader, inout Root) throws(PluginWireError) -> Void,
        write: @escaping @Sendable (Root, inout JSONObject) -> Void
    ) {
        self.read = read
        self.write = write
    }

    /// A member that is always written, and without which the property keeps its default.
    package init<Value: WireValue>(_ name: String, _ path: Property<Value>) {
        self.init(
            read: { (reader: ObjectReader, root: inout Root) throws(PluginWireError) in
                if let value: Value = try reader.optional(name) { root[keyPath: path] = value }
            },
            write: { root, json in json[name] = root[keyPath: path].wireValue })
    }

    /// A member that has to be there.
    package static func required<Value: WireValue>(_ name: String, _ path: Property<Value>) -> WireMember {
        WireMember(
            read: { (reader: ObjectReader, root: inout Root) throws(PluginWireError) in
                root[keyPath: path] = try reader.required(name)
            },
            write: { root, json in json[name] = root[keyPath: path].wireValue })
    }

    /// A member without which the property is nil.
    package static func optional<Value: WireValue>(_ name: String, _ path: Property<Value?>) -> WireMember {
        WireMember(
            read: { (reader: ObjectReader, root: inout Root) throws(PluginWireError) in
                root[keyPath: path] = try reader.optional(name)
            },
            write: { root, json in json[name] = root[keyPath: path]?.wireValue })
    }

    /// A member that is left out while the property has its default.
    package static func unlessDefault<Value: WireValue & Equatable>(
        _ name: String, _ path: Property<Value>
    ) -> WireMember where Root: WireRecord {
        let always = WireMember(name, path)
        return WireMember(
            read: always.read,
            write: { root, json in
                if root[keyPath: path] != Root.blank[keyPath: path] { always.write(root, &json) }
            })
    }

    /// An object whose members are properties of the same type; they keep their defaults without it.
    package static func section(_ name: String, _ members: [WireMember]) -> WireMember {
        WireMember(
            read: { (reader: ObjectReader, root: inout Root) throws(PluginWireError) in
                guard let section = try reader.section(name) else { return }
                for member in members { try member.read(section, &root) }
            },
            write: { root, json in
                var section = JSONObject()
                for member in members { member.write(root, &section) }
                json[name] = .object(section)
            })
    }

    /// The content of a message, under `payload` or `payloadB64`.
    package static func payload(_ path: Property<CastMessage.Payload>) -> WireMember {
        WireMember(
            read: { (reader: ObjectReader, root: inout Root) throws(PluginWireError) in
                root[keyPath: path] = try reader.payload()
            },
            write: { root, json in
                let member = root[keyPath: path].member
                json[member.name] = member.value
            })
    }

    /// The content of a message, if there is one.
    package static func optionalPayload(_ path: Property<CastMessage.Payload?>) -> WireMember {
        WireMember(
            read: { (reader: ObjectReader, root: inout Root) throws(PluginWireError) in
                root[keyPath: path] = try reader.optionalPayload()
            },
            write: { root, json in
                if let member = root[keyPath: path]?.member { json[member.name] = member.value }
            })
    }
}
