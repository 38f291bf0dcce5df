import CastWire
import Foundation
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import PluginHosting
import PluginKit

/// A plugin that runs as the gateway runs it, alone.
struct PluginUnderTest {
    /// Why it is not running.
    struct NotRunning: Error, CustomStringConvertible {
        let description: String
    }

    /// What it is.
    enum Program {
        /// A program, and what it needs beside it.
        case process(URL, beside: [URL])
        case module(URL)
    }

    let registry: HandlerRegistry
    let service: PluginService
    private let events: EventSubscription

    /// Puts a plugin into a folder of its own, and makes it a handler.
    init(_ id: String, _ program: Program, in folder: URL, products: URL, eventLoops: any EventLoopGroup) throws {
        let place = folder.appending(path: id)
        for each in [place, folder.appending(path: "state")] {
            try FileManager.default.createDirectory(at: each, withIntermediateDirectories: true)
        }
        func copy(_ file: URL) throws {
            try FileManager.default.copyItem(at: file, to: place.appending(path: file.lastPathComponent))
        }
        let line: String
        switch program {
        case .process(let file, let others):
            for each in [file] + others { try copy(each) }
            line = "exec: [\(file.lastPathComponent)]"
        case .module(let file):
            try copy(file)
            line = "module: \(file.lastPathComponent)"
        }
        let claim = "{match: \"\(Sample.namespace)\", phase: handle}"
        try Data("manifest: 1\nid: \(id)\nversion: \"1\"\n\(line)\nclaims: [\(claim)]\n".utf8)
            .write(to: place.appending(path: "plugin.yaml"))
        let loaded = PluginFolder.load(path: place.path, id: id)
        guard let manifest = loaded.folder?.manifest else {
            throw NotRunning(description: "\(loaded.document.report())")
        }
        let registry = HandlerRegistry()
        let events = EventBus()
        self.events = events.subscribe()
        self.registry = registry
        self.service = PluginService(
            instance: PluginInstance(name: id, plugin: id, folder: place.path, manifest: manifest) {
                $0.kind = manifest.kind
                $0.namespaces = [
                    GrantedNamespace(
                        PluginClaim(match: Sample.namespace.rawValue, phase: .handle), deadline: .seconds(10))
                ]
            },
            context: PluginContext(
                gateway: GatewayIdentity(id: "bench", name: "bench", version: "1"), registry: registry, events: events,
                stateDirectory: folder.appending(path: "state").path,
                launcher: products.appending(path: LauncherPath.name).path, eventLoops: eventLoops,
                makeLogger: { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } }))
        try registry.replaceAll(with: [self.service.handler])
    }

    /// Waits until it answers.
    func untilReady() async throws {
        for await case .plugin(_, let change) in self.events.events {
            switch change {
            case .ready: return
            case .crashed(let reason, let lines): throw NotRunning(description: "\(reason): \(lines)")
            case .stopped(let reason), .crashlooped(let reason): throw NotRunning(description: reason)
            case .degraded, .removed: break
            }
        }
    }
}
