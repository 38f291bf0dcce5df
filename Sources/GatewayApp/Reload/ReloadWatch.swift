/// Learns of every reload that is more than a dry run.
struct ReloadWatch: Sendable {
    /// Called before anything is read.
    let began: @Sendable () -> Void
    /// Called when the configuration is in force, or when it is certain that the old one stays.
    let ended: @Sendable (_ outcome: ReloadOutcome) -> Void
}
