@testable import PluginHosting

/// What the launcher can enforce on this machine, as it says itself. Tests of the rest are skipped.
enum Enforcement {
    /// System calls, by seccomp.
    static let ofCalls = Self.enforces("calls")
    /// Files, by Landlock.
    static let ofFiles = Self.enforces("files")
    /// Signals, by a Landlock that knows scopes.
    static let ofSignals = Self.enforces("signals")

    private static let reports: [String]? = try? LaunchedProcess(
        ["--sandbox", "strict", "--directory", "/tmp"], ["/bin/true"]
    ).outcome().reports

    /// A launcher that does not start is no reason to skip anything.
    private static func enforces(_ what: String) -> Bool {
        !(self.reports ?? []).contains { $0.hasPrefix("unenforced \(what) ") }
    }
}
