package import GatewayConfig
package import GatewayCore

/// `handlers`: which handlers are asked, in the order of the list.
package struct HandlersConfiguration: Sendable, Equatable {
    package let selections: [HandlerSelection]
    /// True if the list is written in a file. Without one every handler is asked, those too that no file knows of.
    package let isWritten: Bool
    /// The place of each selection, as `file:line:column`; empty for what is written in no file.
    private let origins: [String]

    package init() {
        self.selections = HandlerSelection.Use.allCases.map { HandlerSelection($0) }
        self.isWritten = false
        self.origins = []
    }

    package init(_ selections: [HandlerSelection]) {
        self.init(selections, origins: [])
    }

    private init(_ selections: [HandlerSelection], origins: [String]) {
        self.selections = selections
        self.isWritten = true
        self.origins = origins
    }

    /// Two lists are the same when they say the same, wherever they are written.
    package static func == (left: Self, right: Self) -> Bool { left.selections == right.selections }

    package static let type = ConfigType<HandlersConfiguration>(
        .list(of: HandlerSelection.schema),
        text: { handlers in
            "[\(handlers.selections.map { "{use: \($0.use.rawValue)}" }.joined(separator: ", "))]"
        },
        read: { value in
            guard let sections = value.list?.compactMap(\.section) else { return nil }
            if case .default = value.origin { return HandlersConfiguration() }
            return HandlersConfiguration(
                sections.map(HandlerSelection.init(reading:)), origins: sections.map { "\($0.location)" })
        })

    /// The plan for the router.
    /// - Parameters:
    ///   - channels: `channels`.
    ///   - plugins: the names of all plugins, in their order.
    ///   - devices: the virtual devices that a list of names and wildcards stands for.
    package func plan(
        channels: [ChannelConfiguration], plugins: [String], devices: ([Glob]) -> Set<String>
    ) -> HandlerPlan {
        guard self.isWritten else { return HandlerPlan() }
        let namespaces = Set(self.selections.compactMap(\.namespace))
        let names = Set(self.selections.compactMap(\.name))
        var entries: [HandlerPlan.Entry] = []
        for (index, selection) in self.selections.enumerated() {
            let handlers: [String] =
                switch selection.use {
                case .channel:
                    // Channels that share a namespace are one handler.
                    channels.map(\.namespace).enumerated().filter { place, namespace in
                        channels.firstIndex { $0.namespace == namespace } == place
                            && (selection.namespace.map { $0 == namespace } ?? !namespaces.contains(namespace))
                    }.map { channels[$0.offset].handlerName }
                case .plugin: plugins.filter { name in selection.name.map { $0 == name } ?? !names.contains(name) }
                default: [selection.use.rawValue]
                }
            entries += handlers.map { name in
                var entry = HandlerPlan.Entry(
                    name: name, isEnabled: selection.isEnabled, devices: selection.devices.map(devices),
                    deadline: selection.deadline, onFailure: selection.onFailure,
                    origin: self.origins.indices.contains(index) ? self.origins[index] : nil)
                entry.writtenDevices = selection.devices?.map(\.pattern)
                return entry
            }
        }
        // What is logged is for `log` to say.
        entries.append(HandlerPlan.Entry(name: BuiltInHandlers.Name.castingLog))
        return HandlerPlan(entries: entries)
    }
}
