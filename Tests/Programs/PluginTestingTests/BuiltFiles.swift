import Foundation

/// Where the files are that the tests use.
enum BuiltFiles {
    /// The checkout.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    static let fixtures = Self.package + "/Tests/Programs/PluginTestingTests/Fixtures"
}
