import CastIdentity
import CastTransport
import DeviceSessions
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import NamespaceHandlers
import PluginHosting
import Synchronization
import VirtualDevices

/// How another configuration comes into force: plan, prepare, commit. Only ``ReloadService`` calls this, one at a time.
extension Gateway {
    func perform(_ request: ReloadService.Request) async -> ReloadOutcome {
        let watch = request.isDryRun ? nil : self.state.withLock { $0.reloadWatch }
        watch?.began()
        let outcome = await self.outcome(of: request)
        watch?.ended(outcome)
        return outcome
    }

    private func outcome(of request: ReloadService.Request) async -> ReloadOutcome {
        let logger = self.makeLogger("Reload")
        do throws(ReloadFailure) {
            var document: ConfigDocument?
            let configuration: GatewayConfiguration
            if let given = request.configuration {
                configuration = given
            } else {
                (configuration, document) = try self.readConfiguration()
            }
            let plan: ReloadPlan
            do throws(ReloadFailure) {
                plan = try await self.apply(configuration, isDryRun: request.isDryRun)
            } catch {
                throw error.located(in: document)
            }
            guard !request.isDryRun else { return .success(plan) }
            if let document { self.state.withLock { $0.document = document } }
            let changes = plan.changes.map(\.description)
            logger.notice(
                plan.changes.isEmpty ? "Configuration reloaded, nothing has changed" : "Configuration reloaded",
                metadata: ["changed": "\(changes.joined(separator: "; "))"])
            self.events.publish(.configurationReloaded(changes: plan.changes.map(\.path)))
            return .success(plan)
        } catch {
            if !request.isDryRun {
                logger.error("Reload failed, the old configuration stays", metadata: ["reason": "\(error)"])
                if case .invalid(let report) = error {
                    for problem in report.problems where problem.severity == .error {
                        var metadata: Logger.Metadata = [
                            "at": "\(problem.location)", "code": "\(problem.code.rawValue)",
                            "problem": "\(problem.message)",
                        ]
                        if let hint = problem.hint { metadata["hint"] = "\(hint)" }
                        logger.error("Configuration error", metadata: metadata)
                    }
                }
                self.events.publish(.reloadFailed(reason: error.description))
            }
            return .failure(error)
        }
    }

    private func readConfiguration() throws(ReloadFailure) -> (GatewayConfiguration, ConfigDocument) {
        guard let source = self.source else {
            throw .unavailable("the gateway was started without a file, so there is none to read anew")
        }
        let result = source.load()
        guard let configuration = result.configuration else { throw .invalid(result.report) }
        return (configuration, result.document)
    }

    private func apply(
        _ new: GatewayConfiguration, isDryRun: Bool
    ) async throws(ReloadFailure) -> ReloadPlan {
        let (old, environment, before) = self.state.withLock { ($0.configuration, $0.environment, $0.anchors) }
        let anchors = AnchorCertificates(new.connections)
        var plan = ReloadPlan(from: old, to: new)
        if old.connections.certificateVerification == new.connections.certificateVerification {
            for key in anchors.changedKeys(since: before) {
                plan.add(key, .newConnections, note: "a file has changed")
            }
        }
        guard plan.restartKeys.isEmpty else { throw .takesRestart(plan.restartKeys) }
        let running = self.fleet.current
        let placement = DevicePlacement(
            from: old.virtualDevices, to: new.virtualDevices, homes: running.compactMapValues(\.eventLoop),
            deviceHome: { self.devices.eventLoop(for: $0) })
        for name in placement.replaced {
            plan.note("virtual_devices.\(name).target", "its senders have to connect again")
        }
        guard !plan.changes.isEmpty else { return plan }
        let replaced = Set(
            old.builtInHandlers(launch: self.launchSettings).map(\.name) + old.plugins.instances.map(\.name))
        guard !isDryRun else {
            do throws(GatewayError) {
                try self.registry.checkReplacing(
                    replaced, with: new.builtInHandlers(launch: self.launchSettings) + new.plugins.silentHandlers)
            } catch {
                throw .notPrepared(error)
            }
            return plan
        }
        do {
            let preparation = try await self.prepare(new, environment, placement, running)
            do {
                try await preparation.plugins.begin()
                // The last step that can fail: a handler of others' may hold what a new one claims.
                try self.registry.replace(
                    replaced,
                    with: new.builtInHandlers(launch: self.launchSettings) + preparation.plugins.handlers)
            } catch {
                await preparation.undo()
                throw error
            }
            try await self.commit(new, preparation)
            self.state.withLock { $0.anchors = anchors }
        } catch let failure as PluginNotReady {
            throw .pluginNotReady(failure, at: nil)
        } catch let refusal as PluginConfigurationRefused {
            throw .pluginRefused(refusal)
        } catch let error as GatewayError {
            throw .notPrepared(error)
        } catch {
            throw .notPrepared(GatewayError(.reloadFailed, "\(error)"))
        }
        return plan
    }

    /// Makes everything that is new, without touching what runs. A failure leaves nothing behind.
    private func prepare(
        _ new: GatewayConfiguration, _ environment: VirtualDeviceEnvironment, _ placement: DevicePlacement,
        _ running: [String: VirtualDeviceService]
    ) async throws -> ReloadPreparation {
        let update = try await self.devices.prepare(
            devices: new.deviceAddresses, configuration: new.connections, sessions: new.sessions,
            stopsApps: new.shutdown.stopReceivers, eventLoops: placement.eventLoops)
        var environment = environment
        environment.routerSettings = new.routing.router
        environment.payloadText = new.payloadText
        environment.limits = new.senders
        environment.setupLimits = new.setupLimits
        environment.drain = new.shutdown.drain
        // Last of what may take long, so that nothing else waits for a plugin's first words.
        let plugins = try await self.plugins.prepare(new.plugins)
        var preparation = ReloadPreparation(devices: update, plugins: plugins, environment: environment)
        let kept = running.filter { !placement.replaced.contains($0.key) }
        do {
            try await preparation.shareAddresses(of: running, kept: kept, for: new.virtualDevices)
            _ = try await IdentityPreparation(
                identities: environment.identities, now: self.wallClock(), logger: self.makeLogger("Gateway")
            ).prepare(new.virtualDevices.filter { kept[$0.name] == nil })
            for device in new.virtualDevices {
                if let service = kept[device.name] {
                    preparation.changes.append(
                        try await service.prepare(
                            device.device, target: device.targetFactory(update), environment: environment,
                            sharedPorts: preparation.sharedPorts))
                    preparation.fleet[device.name] = service
                    continue
                }
                let service = VirtualDeviceService(
                    configuration: device.device, target: device.targetFactory(update), environment: environment,
                    logger: self.makeLogger("VirtualDevice"),
                    sharedPorts: preparation.sharedPorts, isAccepting: false, wallClock: self.wallClock)
                try await self.fleet.launch(service)
                preparation.added.append(service)
                preparation.fleet[device.name] = service
            }
            preparation.removed = running.values.filter { preparation.fleet[$0.name] !== $0 }
            return preparation
        } catch {
            await preparation.undo()
            throw error
        }
    }

    /// Puts everything in force. Nothing here fails while the event loops turn.
    private func commit(_ new: GatewayConfiguration, _ preparation: ReloadPreparation) async throws {
        DescriptorShares(
            new, eventLoops: System.coreCount, limit: self.descriptorLimit ?? DescriptorLimit.current.soft
        ).apply(new, to: preparation.environment.admission)
        self.applyLog(new.log)
        self.launchSettings.configure(new.launch)
        self.fleet.replace(with: preparation.fleet)
        self.state.withLock { state in
            state.configuration = new
            state.environment = preparation.environment
        }
        await preparation.plugins.commit()
        for change in preparation.changes { try await change.commit() }
        for service in preparation.added { try await service.accept() }
        for service in preparation.removed { await service.giveUpAddresses() }
        try await self.devices.commit(preparation.devices)
        try await self.configureDiscovery(new)
        for service in preparation.removed { service.stop("the virtual device is gone from the configuration") }
        await preparation.endSharing(isCommitted: true)
    }
}
