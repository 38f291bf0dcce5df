import Foundation
import Testing

/// The folders of `Sources`, their modules and what these import are those of Docs/architecture.md and `Package.swift`.
@Suite struct ModuleLayerTests {
    /// Layers whose modules may use others of the same layer: all but the features.
    private static let layersWithin: Set<Int> = [1, 2, 4, 6]

    /// A row of the table of layers.
    private struct Layer {
        let number: Int
        let folder: String
        let modules: [String]
    }

    /// A module of `Package.swift`.
    private struct Module {
        let folder: String
        let dependencies: Set<String>
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: SourceIndex.root.appending(path: name), encoding: .utf8)
    }

    private static func folders(in path: String) throws -> [String] {
        let folder = SourceIndex.root.appending(path: path)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
            (try? folder.appending(path: name).resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
        }.sorted()
    }

    private static func names(_ list: Substring) -> [String] {
        list.matches(of: /"([\w-]+)"/).map { String($0.output.1) }
    }

    private static func layers() throws -> [Layer] {
        try Self.text("Docs/architecture.md").split(separator: "\n").compactMap { line in
            guard let row = line.firstMatch(of: #/^\| (\d) [^|]*\| `(\w+)` \| (.*) \|$/#),
                let number = Int(row.output.1)
            else { return nil }
            // The text in brackets explains a module, and may name a file.
            let names = row.output.3.replacing(/\([^)]*\)/, with: "").matches(of: /`([^`]+)`/)
            return Layer(number: number, folder: String(row.output.2), modules: names.map { String($0.output.1) })
        }
    }

    /// The modules of `Package.swift` that are in layers, by name.
    private static func modules() throws -> [String: Module] {
        var modules: [String: Module] = [:]
        let target = /(?s)(?:module\(\s*"(\w+)",\s*|arget\(\s*name: "([\w-]+)",\s*)(?:dependencies: )?(?:\[(.*?)\])?/
        for layer in try Self.text("Package.swift").matches(of: /(?ms)= layer\(\s*"(\w+)",(.*?)^$/) {
            let folder = String(layer.output.1)
            if let libraries = layer.output.2.firstMatch(of: /\[([^\]]*)\]\.map \{ \.systemLibrary/) {
                for name in Self.names(libraries.output.1) { modules[name] = Module(folder: folder, dependencies: []) }
            }
            for match in layer.output.2.matches(of: target) {
                guard let name = match.output.1 ?? match.output.2 else { continue }
                modules[String(name)] = Module(
                    folder: folder, dependencies: Set(match.output.3.map(Self.names) ?? []))
            }
        }
        return modules
    }

    @Test func foldersAreLayers() throws {
        let layers = try Self.layers()
        #expect(layers.map(\.number) == [6, 5, 4, 3, 2, 1, 0])
        #expect(try Self.folders(in: "Sources") == layers.map(\.folder).sorted())
        let modules = try Self.modules()
        for layer in layers {
            let inFolder = try Self.folders(in: "Sources/\(layer.folder)")
            #expect(inFolder == layer.modules.sorted(), "Docs/architecture.md and Sources/\(layer.folder)")
            let inPackage = modules.filter { $0.value.folder == layer.folder }.keys
            #expect(inFolder == inPackage.sorted(), "Package.swift and Sources/\(layer.folder)")
        }
    }

    @Test func modulesDependDownwardOnly() throws {
        let layers = try Self.layers()
        let numbers = Dictionary(
            uniqueKeysWithValues: layers.flatMap { layer in layer.modules.map { ($0, layer.number) } })
        let modules = try Self.modules()
        for (name, module) in modules {
            let layer = try #require(numbers[name], "\(name) is in no layer")
            for other in module.dependencies {
                guard let lower = numbers[other] else { continue }
                let isAllowed = lower < layer || (lower == layer && Self.layersWithin.contains(layer))
                #expect(isAllowed, "\(name), of layer \(layer), depends on \(other), of layer \(lower)")
            }
        }
        #expect(modules["VirtualDevices"]?.dependencies.contains("GatewayCore") == true)
        #expect(modules["castway"]?.dependencies.contains("GatewayApp") == true)
    }

    /// The compiler also accepts imports of modules that a dependency depends on.
    @Test func modulesImportWhatTheyDeclare() throws {
        let modules = try Self.modules()
        for (name, module) in modules {
            let folder = SourceIndex.root.appending(path: "Sources/\(module.folder)/\(name)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            var imported: Set<String> = []
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /(?m)^(?:\w+ )?import (?:(?:struct|class|enum|func) )?(\w+)/) {
                    imported.insert(String(match.output.1))
                }
            }
            guard !imported.isEmpty else { continue }
            let own = imported.intersection(modules.keys)
            #expect(own == module.dependencies, "what \(name) imports, and its dependencies in Package.swift")
        }
    }
}
