import PluginKit
import Testing

@testable import PluginHosting

/// The kit for Python: its place, and the way to it that a plugin's process is given.
@Suite struct PythonKitTests {
    private static func launch(_ change: (inout PluginInstance) -> Void = { _ in }, kit: String?) throws -> PluginLaunch
    {
        let manifest = PluginManifest(id: "hello", version: "1.0.0") { $0.command = ["hello.py", "--quiet"] }
        let instance = PluginInstance(
            name: "hi", plugin: "hello", folder: "/plugins/hello", manifest: manifest, change)
        return try #require(
            PluginLaunch(instance, stateDirectory: "/state/hi", pythonKit: kit, isExecutable: { _ in true }))
    }

    private static func readable(_ launch: PluginLaunch) -> [String] {
        zip(launch.arguments, launch.arguments.dropFirst()).filter { $0.0 == "--readable" }.map(\.1)
    }

    @Test func theNearestIsFound() {
        let all = ["/src/Plugins/python", "/src/.build/debug/python", "/src/.build/debug/../lib/castway/python"]
        for (index, place) in all.enumerated() {
            let there = Set(all[index...].map { "\($0)/castway.py" })
            #expect(
                PythonKit.find(beside: "/src/.build/debug", checkout: "/src", isThere: { there.contains($0) }) == place)
        }
        #expect(PythonKit.find(beside: "/src/.build/debug", checkout: "/src", isThere: { _ in false }) == nil)
        #expect(
            PythonKit.find(beside: "/usr/bin", checkout: nil, isThere: { $0.hasPrefix("/usr/bin/../lib/") })
                == "/usr/bin/../lib/castway/python")
    }

    /// These tests run in a checkout.
    @Test func thisProgramHasOne() throws {
        #expect(try #require(PythonKit.folder).hasSuffix("/Plugins/python"))
        #expect(PythonKit.folder == PythonKit.places.first.flatMap(AbsolutePath.resolved))
    }

    @Test func aProcessMayReadItAndFindsIt() throws {
        let launch = try Self.launch({ $0.readable = ["/srv/films"] }, kit: "/lib/kit")
        #expect(launch.environment["PYTHONPATH"] == "/lib/kit")
        #expect(Self.readable(launch) == ["/srv/films", "/lib/kit"])
    }

    @Test func itStandsBehindThePluginsOwn() throws {
        let launch = try Self.launch(
            {
                $0.manifest.environment = ["PYTHONPATH": "vendored"]
                $0.environment = ["PYTHONPATH": "/srv/modules:lib"]
            }, kit: "/lib/kit")
        #expect(launch.environment["PYTHONPATH"] == "/srv/modules:lib:/lib/kit")
        // An empty part would be the working folder.
        let empty = try Self.launch({ $0.environment = ["PYTHONPATH": ""] }, kit: "/lib/kit")
        #expect(empty.environment["PYTHONPATH"] == "/lib/kit")
    }

    @Test func withoutOneNothingIsSet() throws {
        let launch = try Self.launch(kit: nil)
        #expect(launch.environment["PYTHONPATH"] == nil)
        #expect(Self.readable(launch) == [])
    }
}
