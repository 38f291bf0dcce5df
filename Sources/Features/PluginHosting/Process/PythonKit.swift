import Glibc

/// The kit for plugins in Python: the folder of `castway.py`, which is on the path of every plugin's process.
///
/// It lies with the program, as `castway-launch` does, so only a user who may change the gateway may change it. A plugin in the
/// sandbox `strict` may read it and no more. A plugin's own folder and its own `PYTHONPATH` come before it, so a plugin that brings
/// a `castway.py` runs with that one.
package enum PythonKit {
    /// The file that a folder has when it is the kit's.
    static let file = "castway.py"
    /// The environment variable with the folders in which Python looks for modules.
    package static let variable = "PYTHONPATH"

    /// The kit of this program, with all links resolved; nil when the program has come without one.
    package static let folder: String? = Self.find(beside: OwnProgram.folder, checkout: OwnProgram.checkout) {
        access($0, R_OK) == 0
    }.flatMap(AbsolutePath.resolved)

    /// The folders that may hold the kit: in the checkout that the program was built in, beside the program, and where `make install`
    /// puts it.
    package static var places: [String] { Self.places(beside: OwnProgram.folder, checkout: OwnProgram.checkout) }

    /// The first folder that has the kit.
    /// - Parameter isThere: whether a file can be read.
    static func find(beside folder: String, checkout: String?, isThere: (String) -> Bool) -> String? {
        Self.places(beside: folder, checkout: checkout).first { isThere("\($0)/\(Self.file)") }
    }

    private static func places(beside folder: String, checkout: String?) -> [String] {
        (checkout.map { ["\($0)/Plugins/python"] } ?? []) + ["\(folder)/python", "\(folder)/../lib/castway/python"]
    }

    /// The value of ``variable`` for a plugin.
    /// - Parameter own: what the plugin is to have in it by itself.
    static func path(_ kit: String, after own: String?) -> String {
        own.flatMap { $0.isEmpty ? nil : "\($0):\(kit)" } ?? kit
    }
}
