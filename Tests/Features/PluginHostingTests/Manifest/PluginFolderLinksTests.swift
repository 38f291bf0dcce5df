import CastwayTestSupport
import Foundation
import GatewayConfig
import Testing

@testable import PluginHosting

/// Links in a plugin's folder that a strict sandbox does not let it follow.
@Suite struct PluginFolderLinksTests {
    /// A plugin's folder beside files that are not its own.
    private static func withPlugin(_ body: (TemporaryFolder, _ path: String) throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("Plugins/hello")
            for name in ["Plugins/hello/lib", "kit"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            for name in ["kit/kit.py", "Plugins/hello/main.py"] { try folder.write("", to: name) }
            try body(folder, path)
        }
    }

    private static func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    @Test func aLinkOutOfTheFolderIsFound() async throws {
        try await Self.withPlugin { folder, path in
            try Self.link(path + "/lib/kit.py", to: "../../../kit/kit.py")
            try Self.link(path + "/all", to: folder.file("kit"))
            let found = PluginFolderLinks.leadingOut(of: path, readable: [])
            #expect(found.map(\.name) == ["all", "lib/kit.py"])
            #expect(found.map { String($0.target.split(separator: "/").last ?? "") } == ["kit", "kit.py"])
            #expect(PluginFolderLinks.leadingOut(of: path, readable: [folder.file("kit")]).isEmpty)
            #expect(PluginFolderLinks.leadingOut(of: path, readable: [folder.file("ki")]).count == 2)
        }
    }

    @Test func linksWithinTheFolderAndBrokenOnesAreRight() async throws {
        try await Self.withPlugin { _, path in
            try Self.link(path + "/lib/again.py", to: "../main.py")
            try Self.link(path + "/round", to: ".")
            try Self.link(path + "/gone", to: "/nowhere/at/all")
            #expect(PluginFolderLinks.leadingOut(of: path, readable: []).isEmpty)
        }
    }
}
