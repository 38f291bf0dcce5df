import PluginKit
import WatchParty

/// The plugin as a process.
@main enum Main {
    static func main() async {
        await WatchParty.main()
    }
}
