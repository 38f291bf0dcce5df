/// What is wrong with a new version of ``PluginStage``'s plugin.
enum PluginFault: String, CaseIterable {
    /// Its program ends at once.
    case exits
    /// It never answers `initialize`.
    case silent
    /// It crashes over `start`.
    case crashes
    /// It never answers `start`.
    case hangs
    /// It wants what it is not granted, and says so.
    case needy
    /// Its `plugin.yaml` is no YAML.
    case brokenManifest
    /// Its `plugin.yaml` does not ask any more for what it is granted.
    case otherClaims
}
