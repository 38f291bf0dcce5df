extension String {
    /// The beginning of a text that may be of any length, with a mark where it was cut.
    func cut(to limit: Int) -> String {
        self.utf8.count <= limit ? self : String(decoding: self.utf8.prefix(limit), as: UTF8.self) + "…"
    }
}
