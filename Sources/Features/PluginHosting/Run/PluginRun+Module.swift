import GatewayCore
import Logging
import NIOCore
import NIOPosix
import Synchronization
import SystemPrimitives

/// The plugin as a library in the gateway's own process.
extension PluginRun {
    /// Loads the library and runs the plugin in it.
    /// - Returns: how it ended.
    func runAsModule() async -> PluginEnd {
        let instance = self.instance
        self.logger.warning("A module runs in the gateway's own process and shares its fate")
        do {
            let library = try await NIOThreadPool.singleton.runIfActive {
                LibraryHandOver(try PluginLibrary(instance.manifest.module ?? "", in: AbsolutePath.of(instance.folder)))
            }
            try await self.eventLoop.submit {
                try ModuleTransport.open(library.library, instance: instance.name, wire: self.makeWire())
            }.get()
        } catch let failure as PluginLibrary.Failure {
            self.discardWire()
            return .unusable(failure.description)
        } catch {
            return .failed("\(error)")
        }
        await self.converseUntilClosed()
        return self.end ?? .failed("the module says that it is beyond use")
    }

    /// Converses on a wire that is no process's, until it is cut.
    func converseUntilClosed() async {
        guard let connection = self.connection else { return }
        // A conversation that has failed has cut the wire.
        await race {
            await self.converse(connection)
            await untilCancelled()
            // A cancelled run does not wait for the other end.
            connection.close()
        } against: {
            try? await self.wait(for: .disconnected)
        }
    }
}

/// A loaded library on its way to the event loop; the function in it may be called from any thread.
private struct LibraryHandOver: @unchecked Sendable {
    let library: PluginLibrary

    init(_ library: PluginLibrary) {
        self.library = library
    }
}
