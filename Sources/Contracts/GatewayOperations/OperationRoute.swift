/// Where an operation is reached over HTTP: a method, and a path below `/api/v1`.
///
/// A part of the path in braces is a key of the input. The keys beside those come from the query for `GET` and `DELETE`, and
/// from a JSON object in the body for the other methods.
package struct OperationRoute: Hashable, Sendable, CustomStringConvertible {
    /// The methods.
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// Reads, and changes nothing.
        case get = "GET"
        /// Has something done.
        case post = "POST"
        /// Sets something to what the caller says.
        case put = "PUT"
        /// Changes a part of something.
        case patch = "PATCH"
        /// Ends or forgets something.
        case delete = "DELETE"

        /// Whether the input stands in the body.
        package var hasBody: Bool { self != .get && self != .delete }
    }

    /// What every path begins with.
    package static let prefix = "/api/v1"

    package let method: Method
    /// The path below ``prefix``, with its leading slash: `/sessions/{session}`.
    package let path: String

    package init(_ method: Method, _ path: String) {
        self.method = method
        self.path = path
    }

    /// The keys of the input that stand in the path, in their order.
    package var parameters: [String] {
        self.path.split(separator: "/").compactMap { part in
            part.hasPrefix("{") && part.hasSuffix("}") ? String(part.dropFirst().dropLast()) : nil
        }
    }

    /// `GET /api/v1/sessions`.
    package var description: String { "\(self.method.rawValue) \(Self.prefix)\(self.path)" }
}
