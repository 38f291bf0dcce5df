/// The version of this Castway.
enum CastwayVersion {
    /// Semantic version.
    static let current = "0.1.0"
}
