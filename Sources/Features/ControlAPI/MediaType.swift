import GatewayOperations

/// What a body is said to be.
enum MediaType {
    /// Lets bodies in that are JSON, or not said to be anything: a form that a page of another site sends says what it is.
    /// - Parameter header: the value of `Content-Type`.
    /// - Throws: `unsupported_media_type` (415).
    static func requireJSON(_ header: String?) throws(OperationProblem) {
        guard let header else { return }
        let type = header.prefix { $0 != ";" }.trimmingSuffix { " \t".contains($0) }.lowercased()
        guard type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json")) else {
            throw OperationProblem(
                "unsupported_media_type", status: 415, "the body must be application/json, not '\(header.prefix(100))'")
        }
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isLeft: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, isLeft(last) { text.removeLast() }
        return text
    }
}
