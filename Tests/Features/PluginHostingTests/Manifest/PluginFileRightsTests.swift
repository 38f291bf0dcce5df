import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayCore
import Glibc
import Testing

@testable import PluginHosting

/// Whose the files of a plugin are, and who may write them.
@Suite(.timeLimit(.minutes(2))) struct PluginFileRightsTests {
    private static let isRoot: Bool = geteuid() == 0

    /// A plugin's folder with what it may hold, below a folder for plugins.
    private static func withPlugin(_ body: (TemporaryFolder, _ path: String) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("Plugins/hello")
            try FileManager.default.createDirectory(atPath: path + "/lib", withIntermediateDirectories: true)
            chmod(folder.file("Plugins"), 0o755)
            try folder.write(
                "manifest: 1\nid: hello\nversion: 1.0.0\nexec: [bin.sh]\n", to: "Plugins/hello/plugin.yaml")
            for name in ["bin.sh", "lib/code.py"] { try folder.write("#!/bin/sh\n", to: "Plugins/hello/\(name)") }
            for name in ["", "/plugin.yaml", "/bin.sh", "/lib", "/lib/code.py"] { chmod(path + name, 0o755) }
            try await body(folder, path)
        }
    }

    private static func fault(_ path: String, program: String = "bin.sh") -> String? {
        PluginFileRights.fault(of: path, command: [program])
    }

    @Test func whatIsTheUsersAloneIsRight() async throws {
        try await Self.withPlugin { _, path in
            #expect(Self.fault(path) == nil)
            #expect(Self.fault(path, program: "python3") == nil)
            #expect(PluginFolder.load(path: path, id: "hello").folder != nil)
        }
    }

    @Test(arguments: ["", "/plugin.yaml", "/bin.sh", "/lib", "/lib/code.py", "/.."])
    func whatEveryUserMayWriteIsNamed(name: String) async throws {
        try await Self.withPlugin { folder, path in
            chmod(path + name, 0o777)
            let shown = name == "/.." ? folder.file("Plugins") : path + name
            #expect(Self.fault(path) == "\(shown) can be written by every user")
            let (loaded, document) = PluginFolder.load(path: path, id: "hello")
            #expect(loaded == nil)
            let problem = try #require(document.problems.all.first)
            #expect(problem.code == .openToOthers)
            #expect(
                problem.message == "others could change what this plugin runs: \(shown) can be written by every user")
        }
    }

    /// In a folder such as /tmp others cannot take away what is not theirs.
    @Test func aStickyFolderMayHoldPlugins() async throws {
        try await Self.withPlugin { folder, path in
            chmod(folder.file("Plugins"), 0o1777)
            #expect(Self.fault(path) == nil)
            chmod(path, 0o1777)
            #expect(Self.fault(path) == "\(path) can be written by every user")
        }
    }

    @Test func aLinkIsAsWhatItLeadsTo() async throws {
        try await Self.withPlugin { folder, path in
            try folder.write("code", to: "elsewhere.py")
            symlink(folder.file("elsewhere.py"), path + "/link.py")
            symlink("/nowhere", path + "/broken.py")
            chmod(folder.file("elsewhere.py"), 0o644)
            #expect(Self.fault(path) == nil)
            chmod(folder.file("elsewhere.py"), 0o666)
            #expect(Self.fault(path) == "\(path)/link.py can be written by every user")
        }
    }

    @Test(.enabled(if: PluginFileRightsTests.isRoot, "only root gives files to others"))
    func whatIsAnotherUsersIsNamed() async throws {
        for name in ["", "/plugin.yaml", "/lib/code.py"] {
            try await Self.withPlugin { _, path in
                chown(path + name, 12_345, 0)
                let text = "belongs to the user 12345, and neither to root nor to the user of the gateway"
                #expect(Self.fault(path) == "\(path)\(name) \(text)")
            }
        }
    }

    /// A umask of 002 is common where every user has a group of his own.
    @Test(.enabled(if: PluginFileRightsTests.isRoot, "only root gives files to other groups"))
    func aGroupThatIsTheOwnersAloneMayWrite() async throws {
        try await Self.withPlugin { _, path in
            chown(path + "/bin.sh", 0, 0)
            chmod(path + "/bin.sh", 0o775)
            #expect(Self.fault(path) == nil)
            chown(path + "/bin.sh", 0, 12_345)
            chmod(path + "/bin.sh", 0o775)
            #expect(Self.fault(path) == "\(path)/bin.sh can be written by the group 12345")
        }
    }

    /// Rights may change after `check`.
    @Test func itIsNotStarted() async throws {
        try await PluginBench.run { instance in
            chmod(instance.folder + "/actor.py", 0o666)
        } body: { bench in
            let change = await bench.change { if case .stopped = $0 { true } else { false } }
            guard case .stopped(let reason) = change else { return }
            #expect(reason.contains("actor.py can be written by every user"), "\(reason)")
            #expect(await bench.service.status().state == .stopped)
        }
    }
}
