/// The reason no device is found, and what to do about it.
package struct DiscoveryHint: Hashable, Sendable {
    /// A word for the reason that never changes.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case notSearching = "not_searching"
        /// There is no mDNS daemon, or it does not answer.
        case noDaemon = "no_daemon"
        /// No network interface is there on which devices could be heard.
        case noInterface = "no_interface"
        /// Devices are heard, and `discovery.allow` or `discovery.deny` keeps them out.
        case denied
        /// Devices are heard, and have not the apps or namespaces that are asked for.
        case appFilter = "app_filter"
        case nothingHeard = "nothing_heard"
    }

    package let code: Code
    /// The same in a sentence, with what to do.
    package let text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }
}

/// The number of devices that are heard and not listed.
struct HiddenDevices: Hashable, Sendable {
    /// Devices denied by their names or ids.
    var denied = 0
    /// For want of an app or a namespace.
    var unfit = 0
}

extension DiscoveryHint {
    /// Returns the reasons for an empty list.
    /// - Parameters:
    ///   - interfaces: the interfaces that are listened on; empty for all.
    ///   - hasInterface: whether one of them is up with an address and multicast.
    static func hints(
        _ state: DiscoveryState, hidden: HiddenDevices, interfaces: [String], hasInterface: Bool
    ) -> [DiscoveryHint] {
        var hints: [DiscoveryHint] = []
        switch state {
        case .stopped:
            return [
                DiscoveryHint(
                    .notSearching,
                    "devices are not searched for: discovery.mdns.enabled is false, or discovery.stop was called; discovery.start searches"
                )
            ]
        case .blocked(let reason):
            hints.append(
                DiscoveryHint(
                    .noDaemon,
                    "devices cannot be searched for: \(reason). Install and start avahi-daemon, or name devices in discovery.static"
                ))
        case .starting, .running: break
        }
        if !hasInterface {
            let which = interfaces.isEmpty ? "no network interface" : "none of \(interfaces.joined(separator: ", "))"
            hints.append(
                DiscoveryHint(
                    .noInterface,
                    "\(which) is up with an address and multicast; see discovery.mdns.interfaces, and castway doctor"))
        }
        if hidden.denied > 0 {
            hints.append(
                DiscoveryHint(
                    .denied, "\(hidden.denied) heard, and kept out by discovery.allow or discovery.deny"))
        }
        if hidden.unfit > 0 {
            hints.append(
                DiscoveryHint(
                    .appFilter,
                    "\(hidden.unfit) heard, and without the apps of discovery.receiver_app or receiver_apps, or the namespaces of discovery.namespaces"
                ))
        }
        if hints.isEmpty {
            hints.append(
                DiscoveryHint(
                    .nothingHeard,
                    "no Cast device is heard: devices answer on the same network only, and firewalls must let UDP port 5353 through; "
                        + "castway doctor looks closer, and discovery.static names devices that mDNS does not reach"))
        }
        return hints
    }
}

extension DeviceDiscovery {
    /// The reason no device is listed; nothing when one is.
    package func hints() -> [DiscoveryHint] {
        let view = self.view
        guard view.devices.isEmpty else { return [] }
        return DiscoveryHint.hints(
            view.state, hidden: view.hidden, interfaces: view.interfaces,
            hasInterface: HostInterfaces.hasMulticast(among: view.interfaces))
    }
}
