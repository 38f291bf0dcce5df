import ArgumentParser

/// What a new plugin is written in.
enum PluginLanguage: String, ExpressibleByArgument, CaseIterable {
    case swift
    case python
    case sh
}
