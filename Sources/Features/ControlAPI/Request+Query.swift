import Hummingbird
import HummingbirdCore

extension Request {
    /// The parts of the query, decoded. A plus sign is a space, as forms and most HTTP clients write one (WHATWG URL, 5.1); a real one is
    /// `%2B`.
    var queryTexts: [(name: String, value: String)] {
        guard let query = self.uri.query else { return [] }
        return URI("/?" + query.replacing("+", with: "%20")).queryParameters
            .map { (String($0.key), String($0.value)) }
    }
}
