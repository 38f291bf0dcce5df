public import GatewayOperations

extension GatewayFeatures {
    /// What a gateway with these features can do for callers.
    static func catalogue(of features: [any GatewayFeature], context: GatewayContext) -> OperationCatalogue {
        let own = features.flatMap(\.operations)
        // Those that are about all features.
        let operations: [any GatewayOperation] =
            own + [
                CheckHealth(features: features, context: context),
                GetGatewayStatus(features: features, parts: OperationCatalogue(own), context: context),
            ]
        let added = features.lazy.compactMap { $0 as? PluginsFeature }.first?.added
        let names = operations.map { type(of: $0).name.rawValue } + [GetGateway.name.rawValue]
        let get = GetGateway(
            context: context, overview: features.lazy.compactMap { $0 as? OverviewFeature }.first,
            devices: features.lazy.compactMap { $0 as? RealDevicesFeature }.first
        ) {
            (names + (added?.declarations.map(\.name.rawValue) ?? [])).sorted()
        }
        return OperationCatalogue(
            operations + [get], requests: features.lazy.compactMap { $0 as? RequestsFeature }.first?.requests,
            added: added, audit: context.audit, observer: context.presence)
    }
}

/// The operations that every gateway has, known without one: for commands and documents. A test compares them with those of a
/// running gateway.
public enum BuiltInOperations {
    private static let types: [any GatewayOperation.Type] =
        [
            CreateToken.self, ListTokens.self, RevokeToken.self, CancelRequest.self, GetRequest.self, ListRequests.self,
            DisableHandler.self, DisablePlugin.self,
            EnableHandler.self, EnablePlugin.self,
            ForgetVirtualDevice.self, GetConfiguration.self, GetGateway.self, GetPlugin.self, ListHandlers.self,
            ListPlugins.self, ListSessions.self, ListVirtualDevices.self, ReloadConfiguration.self, ResetHandler.self,
            RestartPlugin.self,
            ClearPictures.self, GetCatalogue.self, ListCatalogues.self, RefreshCatalogue.self,
            // What is delivered outside of the gateway.
            CheckOutGuest.self, CreateJoinCode.self, ListGuests.self, ListJoinCodes.self, RedeemJoinCode.self,
            RevokeJoinCode.self,
            ListBridges.self, ListOutbox.self, PurgeOutbox.self, ReplayOutbox.self, ResumeBridge.self,
            ShowOutboxMessage.self, TestChannel.self,
            // What there is and what runs.
            CanDisplay.self, ChangeGroup.self, CheckHealth.self, ClearCredentials.self, DisconnectSenders.self,
            ExplainRoute.self, FindDevice.self,
            GetDevice.self, GetGatewayStatus.self, GetLaunch.self, GetLog.self, GetVirtualDevice.self,
            LaunchOnVirtualDevice.self, ListCredentials.self, ListDevices.self, ListGroupMembers.self, ListSenders.self,
            ProbeDevice.self,
            ResetLaunch.self, SetCredentials.self, SetDeviceAttributes.self, SetLaunch.self, SetLog.self,
            SimulateOnVirtualDevice.self, StartDiscovery.self,
            StopDiscovery.self, StopVirtualDevice.self,
        ] + DeviceControlFeature.operationTypes

    /// The families that have no operation yet, and are kept for some.
    private static let reserved: Set<String> = [
        "access", "bridge", "castway", "catalog", "config", "credentials", "device", "gateway", "group", "guest",
        "handler",
        "health", "join_code", "launch", "log", "media", "message", "messages", "metrics", "playback", "plugin",
        "queue",
        "request", "requests", "route", "routing", "session", "sessions", "state", "system", "virtual_device", "volume",
    ]

    /// The names before the first point that no plugin's operation has.
    static let families = Self.reserved.union(Self.all.map(\.name.family))

    /// Their declarations, by name.
    public static let all: [OperationDeclaration] = Self.types.map { OperationDeclaration($0) }
        .sorted { $0.name.rawValue < $1.name.rawValue }
}
