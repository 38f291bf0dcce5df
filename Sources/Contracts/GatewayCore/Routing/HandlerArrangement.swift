/// What the table of handlers follows from: the registered handlers, the plan, the switches and the guard. A value, so that a
/// change is tried on a copy.
struct HandlerArrangement {
    /// A handler as it was registered. Its claims are read once.
    private struct Registration {
        let id: UInt64
        let name: String
        let handler: any MessageHandler
        let claims: [Claim]
    }

    /// A handler at its place.
    private struct Place {
        let registration: Registration
        /// What the plan says of it; nil when it is left out.
        let entry: HandlerPlan.Entry?

        /// The claims within the limits of the plan; nil for one of which nothing is left.
        var claims: [Claim?] {
            self.registration.claims.map { claim in self.entry.map { $0.limiting(claim) } ?? claim }
        }
    }

    private(set) var table = HandlerTable.empty
    /// The handlers that were switched at run time, by name; also ones that are not there yet.
    var switches: [String: Bool] = [:]
    private var plan = HandlerPlan()
    private var guardian: (any MessageGuard)?
    private var registrations: [Registration] = []
    private var nextID: UInt64 = 1

    /// The registered handler of a name.
    func handler(named name: String) -> (any MessageHandler)? {
        self.registrations.first { $0.name == name }?.handler
    }

    // MARK: Changes

    /// Adds handlers behind those that are there.
    mutating func add(_ handlers: [any MessageHandler]) throws(GatewayError) {
        for handler in handlers { self.registrations.append(try self.registration(of: handler)) }
    }

    /// Removes the handlers of these names.
    mutating func remove(_ names: Set<String>) {
        self.registrations.removeAll { names.contains($0.name) }
    }

    /// Replaces the handlers of these names, or all, by others, which come first. An object that was there keeps its identity.
    mutating func replace(_ names: Set<String>?, with handlers: [any MessageHandler]) throws(GatewayError) {
        let before = self.registrations
        let kept = before.filter { registration in names.map { !$0.contains(registration.name) } ?? false }
        self.registrations = kept
        try self.add(handlers)
        let added = self.registrations.dropFirst(kept.count).map { new -> Registration in
            guard type(of: new.handler) is AnyClass,
                let old = before.first(where: { $0.name == new.name }), type(of: old.handler) is AnyClass,
                (old.handler as AnyObject) === (new.handler as AnyObject)
            else { return new }
            return Registration(id: old.id, name: new.name, handler: new.handler, claims: new.claims)
        }
        self.registrations = added + kept
    }

    /// Puts a handler in the place of the one of its name.
    mutating func renew(_ handler: any MessageHandler) throws(GatewayError) {
        let name = handler.name
        guard let place = self.registrations.firstIndex(where: { $0.name == name }) else {
            throw GatewayError(.unavailable, "no handler named '\(name)' is registered")
        }
        self.registrations.remove(at: place)
        self.registrations.insert(try self.registration(of: handler), at: place)
    }

    /// The names of all registered handlers.
    var names: Set<String> { Set(self.registrations.map(\.name)) }

    /// Takes another plan and another guard; nil leaves what is there. A switch ends when the plan says something else of its
    /// handler than before; a handler that has just come is as it was switched.
    /// - Parameter known: the names of the handlers that were there before.
    mutating func follow(_ plan: HandlerPlan?, guardedBy guardian: (any MessageGuard)?, known: Set<String>) {
        if let guardian { self.guardian = guardian }
        guard let plan else { return }
        let before = self.plan
        self.switches = self.switches.filter {
            !known.contains($0.key) || before.setting(of: $0.key) == plan.setting(of: $0.key)
        }
        self.plan = plan
    }

    private mutating func registration(of handler: any MessageHandler) throws(GatewayError) -> Registration {
        let (name, claims) = (handler.name, handler.claims)
        guard self.handler(named: name) == nil else {
            throw GatewayError(.handlerExists, "a handler named '\(name)' is registered already")
        }
        for claim in claims {
            if claim.pattern.isReserved {
                throw GatewayError(
                    .reservedNamespace, "'\(claim.pattern)' belongs to the gateway, '\(name)' cannot claim it")
            }
            if case .prefix(let prefix) = claim.pattern, !prefix.hasSuffix(".") || prefix.count < 2 {
                throw GatewayError(.invalidClaim, "'\(name)' claims the prefix '\(prefix)', which ends in no dot")
            }
            if claim.pattern == .any, claim.phase == .handle {
                throw GatewayError(.invalidClaim, "'\(name)' claims every namespace; only filters and observers may")
            }
        }
        defer { self.nextID += 1 }
        return Registration(id: self.nextID, name: name, handler: handler, claims: claims)
    }

    // MARK: The table

    /// Makes the table.
    /// - Throws: `claimConflict` when two handlers that the plan enables own the same.
    mutating func makeTable() throws(GatewayError) {
        let planned = self.entries { $0.entry?.isEnabled ?? false }
        for (index, entry) in planned.enumerated() where entry.claim.phase == .handle {
            let other = planned[..<index].first { held in
                held.handler.name != entry.handler.name && HandlerTable.areInConflict(entry, held)
            }
            guard let other else { continue }
            throw GatewayError(
                .claimConflict,
                "'\(entry.handler.name)' and '\(other.handler.name)' both claim '\(entry.claim.pattern)' to handle it")
        }
        self.makeTableUnchecked()
    }

    /// Makes the table of what was judged before.
    mutating func makeTableUnchecked() {
        let entries = self.entries { self.isEnabled($0) }
        self.table = HandlerTable(entries: entries, guardian: self.guardian)
        self.nextID = max(self.nextID, (entries.map(\.id).max() ?? 0) + 1)
    }

    /// The claims of the handlers that are asked, in their order. One that the table in force has, too, keeps its entry.
    private func entries(where isAsked: (Place) -> Bool) -> [HandlerTable.Entry] {
        let before = Dictionary(self.table.entries.map { ($0.origin, $0) }, uniquingKeysWith: { first, _ in first })
        var nextID = self.nextID
        var entries: [HandlerTable.Entry] = []
        for place in self.places where isAsked(place) {
            for (index, claim) in place.claims.enumerated() {
                guard let claim else { continue }
                let origin = HandlerTable.Entry.Origin(registration: place.registration.id, index: index)
                if let kept = before[origin], kept.claim == claim {
                    entries.append(kept)
                } else {
                    entries.append(
                        HandlerTable.Entry(
                            handler: place.registration.handler, claim: claim, id: nextID, origin: origin))
                    nextID += 1
                }
            }
        }
        return entries
    }

    /// All handlers in the order of the plan; those that it leaves out come last.
    private var places: [Place] {
        guard let entries = self.plan.entries else {
            return self.registrations.map { Place(registration: $0, entry: HandlerPlan.Entry(name: $0.name)) }
        }
        var left = Dictionary(self.registrations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let listed = entries.compactMap { entry in
            left.removeValue(forKey: entry.name).map { Place(registration: $0, entry: entry) }
        }
        return listed
            + self.registrations.filter { left[$0.name] != nil }.map { Place(registration: $0, entry: nil) }
    }

    private func isEnabled(_ place: Place) -> Bool {
        self.switches[place.registration.name] ?? place.entry?.isEnabled ?? false
    }

    /// The handlers as people see them.
    var summaries: [HandlerSummary] {
        self.places.enumerated().map { index, place in
            let isEnabled = self.isEnabled(place)
            return HandlerSummary(
                name: place.registration.name, claims: place.claims.compactMap(\.self), isEnabled: isEnabled,
                isSwitched: isEnabled != (place.entry?.isEnabled ?? false), devices: place.entry?.devices,
                origin: place.entry?.origin,
                replaces: Set(place.registration.claims.compactMap(\.replaces)).sorted(), position: index + 1,
                isListed: place.entry != nil)
        }
    }
}
