import GatewayCore
import Glibc
import Logging
import NIOCore
import NIOPosix
import PluginKit
import Synchronization
import SystemPrimitives

/// The plugin as a process of its own, under the launcher.
extension PluginRun {
    /// Runs the process.
    /// - Returns: how it ended.
    func runAsProcess() async -> PluginEnd {
        guard
            let launch = PluginLaunch(
                self.instance, stateDirectory: self.stateDirectory,
                isExecutable: { access($0, X_OK) == 0 && !Self.isFolder($0) })
        else {
            let program = self.instance.manifest.command?.first ?? ""
            return .failed("the program '\(program)' of the plugin is not there, or cannot be executed")
        }
        if let fault = await self.fileFault() { return .unusable(fault) }
        guard Self.makeFolder(self.stateDirectory) else {
            return .failed("the folder \(self.stateDirectory) cannot be made")
        }
        do {
            let process = try await PluginProcess.prepare(
                on: self.eventLoop, environment: launch.environmentBlock, makeWire: { self.makeWireHandler() },
                onReport: { self.take($0) }, onDiagnostics: { self.log.take($0) })
            self.opened(process)
            let failure = await self.guardProcess(process, launch)
            await process.finish()
            if let failure { return .failed(failure) }
        } catch {
            return .failed("\(error)")
        }
        return self.end ?? .failed("its launcher ended without a word")
    }

    private func guardProcess(_ process: PluginProcess, _ launch: PluginLaunch) async -> String? {
        let connection = self.connection
        return await race {
            do {
                try await process.run(launcher: self.context.launcher, launch)
                return nil
            } catch {
                return "\(error)"
            }
        } against: {
            if let connection { await self.converse(connection) }
            // The process decides when it is over.
            await untilCancelled()
            return nil
        }
    }

    /// Makes the gateway's end of the wire; on the event loop.
    func makeWireHandler() -> any ChannelHandler {
        PluginChannelHandler(self.makeWire())
    }

    /// Describes how another user could change the files that are to run; nil when none can.
    private func fileFault() async -> String? {
        let instance = self.instance
        return try? await NIOThreadPool.singleton.runIfActive {
            PluginFileRights.fault(of: instance.folder, command: instance.manifest.command)
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes a folder, and the one that it lies in, for this user alone.
    static func makeFolder(_ path: String) -> Bool {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        for folder in [parent, path] where mkdir(folder, 0o700) != 0 && errno != EEXIST { return false }
        return self.isFolder(path)
    }
}
