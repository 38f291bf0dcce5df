import BenchEcho
import PluginKit

/// ``Echo`` as a process.
@main
enum EchoProcess {
    static func main() async {
        await Echo.main()
    }
}
