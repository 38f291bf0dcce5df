import ArgumentParser
import PluginHosting

struct PluginKitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "kit", "Prints the folder of the kit for Python, which a plugin imports as castway.",
        """
        The gateway, and plugin check, test and run, have the folder on a plugin's path already. Your own tests and your \
        editor need it too.
        """,
        examples: ["PYTHONPATH=$(castway plugin kit) python3 -m unittest discover -s Plugins/hello/tests"])

    func run() throws {
        guard let kit = PythonKit.folder else {
            throw CommandFailure(
                .refused,
                "this castway has come without its kit for Python: castway.py is in none of \(PythonKit.places.joined(separator: ", "))"
            )
        }
        StandardOutput.write("\(kit)\n")
    }
}
