internal import GatewayConfig

extension PluginManifest {
    /// The reference of all keys of `plugin.yaml` in Markdown, as `Docs/plugin-yaml.md` has it.
    public static func referenceMarkdown() -> String {
        Self.schema.referenceMarkdown(title: "plugin.yaml reference", introduction: Self.introduction)
    }

    private static let introduction = """
        `plugin.yaml` is a plugin's manifest: what it is, how it is started, and what it asks for. It lies in the plugin's folder, which
        has the plugin's `id` for its name. `gateway.yaml` grants what stands here, or less; see [plugins.md](plugins.md). The page is printed
        by `castway plugin reference`.

        Keys that are not listed are refused, except those that start with `x-`, which are ignored everywhere. Sizes have `B`, `KiB`, `MiB`
        or `GiB`. Truth values are `true` and `false`. Paths are relative to the plugin's folder and stay within it; environment variables
        are not put in. `castway plugin check DIR` says what is wrong.

        How a plugin is run follows from what is there: with `exec` as a process, with `module` alone as a library in the gateway, with neither
        by connecting to a socket; `kind` in `gateway.yaml` may choose among them.
        """
}
