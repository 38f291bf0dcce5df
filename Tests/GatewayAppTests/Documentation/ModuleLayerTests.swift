import Foundation
import Testing

/// The layers in Docs/architecture.md are those of `Package.swift`.
@Suite struct ModuleLayerTests {
    /// Layers whose modules may use others of the same layer: all but the features.
    private static let layersWithin: Set<Int> = [1, 2, 4]

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: SourceIndex.root.appending(path: name), encoding: .utf8)
    }

    /// The layer of each module in the table.
    private static func layers() throws -> [String: Int] {
        var layers: [String: Int] = [:]
        for line in try Self.text("Docs/architecture.md").split(separator: "\n") {
            guard let row = line.firstMatch(of: #/^\| (\d) [^|]*\| (.*) \|$/#), let layer = Int(row.output.1) else {
                continue
            }
            // What stands in brackets explains a module, and may name a file.
            let names = row.output.2.replacing(/\([^)]*\)/, with: "").matches(of: /`([^`]+)`/)
            for name in names.map({ String($0.output.1) }) {
                #expect(layers[name] == nil, "\(name) stands in two layers")
                layers[name] = layer
            }
        }
        return layers
    }

    /// What each module of `Sources` depends on, by `Package.swift`.
    private static func dependencies() throws -> [String: [String]] {
        let package = try Self.text("Package.swift")
        var found: [String: [String]] = [:]
        if let libraries = package.firstMatch(of: /targets: \[([^\]]*)\]\.map \{\s*\.systemLibrary/) {
            for name in Self.names(libraries.output.1) { found[name] = [] }
        }
        for match in package.matches(of: /(?s)module\(\s*"(\w+)",\s*\[(.*?)\]/) {
            found[String(match.output.1)] = Self.names(match.output.2)
        }
        let programs = /(?s)\.(?:executableTarget|target)\(\s*name: "([\w-]+)"(?:,\s*dependencies: \[(.*?)\])?,/
        for match in package.matches(of: programs) {
            found[String(match.output.1)] = match.output.2.map(Self.names) ?? []
        }
        return found
    }

    private static func names(_ list: Substring) -> [String] {
        list.matches(of: /"([\w-]+)"/).map { String($0.output.1) }
    }

    @Test func everyModuleHasItsLayer() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: SourceIndex.root.appending(path: "Sources").path)
        let layers = try Self.layers()
        let known = Set(layers.keys).union(["castway-launch", "GatewayTesting"])
        #expect(Set(folders).subtracting(known).sorted() == [], "in no layer of Docs/architecture.md")
        #expect(known.subtracting(folders).sorted() == [], "in Docs/architecture.md, and not in Sources")
    }

    @Test func modulesDependDownwardOnly() throws {
        let layers = try Self.layers()
        let dependencies = try Self.dependencies()
        #expect(layers.count > 15)
        for (module, layer) in layers {
            let used = try #require(dependencies[module], "\(module) is not in Package.swift")
            for other in used {
                guard let lower = layers[other] else { continue }
                let isAllowed = lower < layer || (lower == layer && Self.layersWithin.contains(layer))
                #expect(isAllowed, "\(module), of layer \(layer), depends on \(other), of layer \(lower)")
            }
        }
        #expect(dependencies["VirtualDevices"]?.contains("GatewayCore") == true)
        #expect(dependencies["castway"]?.contains("GatewayApp") == true)
    }
}
