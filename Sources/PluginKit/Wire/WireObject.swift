package import CastWire

/// A type that is an object in a line.
package protocol WireObject: Sendable {
    /// Takes the members that it knows; others are ignored.
    /// - Throws: ``PluginWireError`` that names the member at fault.
    init(_ reader: ObjectReader) throws(PluginWireError)

    /// The object.
    var json: JSONObject { get }
}
