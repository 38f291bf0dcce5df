import PluginKit
import Quiz

/// The plugin as a process.
@main enum Main {
    static func main() async {
        await Quiz.main()
    }
}
