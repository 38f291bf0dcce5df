package import GRDB
import Glibc
import StateStore
import Synchronization

/// Keeps the identities of the virtual devices in the state database.
///
/// Open it once at start, ask for the root to show it to the operator, for an identity per configured device, and for
/// the current leaf whenever a listener (re)builds its TLS settings:
///
///     let store = try IdentityStore.open(stateDirectory: "/var/lib/castway")
///     let kitchen = try store.loadOrCreate(device: "Kitchen", now: now)
///     let leaf = try store.currentLeaf(for: kitchen, now: now)
///
/// Every method blocks: on the disk, and when something is made for a few keys, which can take seconds on a slow
/// machine. Keep it off event loops. Several stores, in one process or in two, may share a database: whatever they
/// make at the same time, one result is kept and all of them return it.
package final class IdentityStore: Sendable {
    /// The state database, for other parts of Castway that keep tables in it.
    package let database: any DatabaseWriter

    /// The reason nothing that the store makes is kept beyond the process; `nil` when all of it is.
    ///
    /// Such a store works with the identities that it found, and makes none: a virtual device that is another one after
    /// every start would be of no use.
    package let volatility: IdentityError?

    /// The folder of the database's file; `nil` for one that is no file of a state directory.
    private let directory: String?

    /// The operator's root, or `nil` when Castway's own is used.
    let configuredRoot: RootAuthority?

    private let keys = RSAKeySource.current

    /// True if the time of day is known to be right now.
    private let isClockKept: @Sendable () -> Bool

    /// The root that this store has made, and when; nil for one that was there before.
    private let madeRoot = Mutex<(fingerprint: String, time: ContinuousClock.Instant)?>(nil)

    /// A root that begins later than this begins never, as far as its users are concerned: one day, in seconds.
    private static let longestWait = CertificateTime.day

    /// For how long after a root was made a step of the clock says that the clock was wrong then.
    private static let timeToSetClock = Duration.seconds(3600)

    /// Takes an open database and brings the identity tables (`identity_...`) up to date.
    ///
    /// - Parameters:
    ///   - database: The state database, writable.
    ///   - volatility: Why the database will be lost, if it will.
    ///   - isClockKept: Whether the time of day is known to be right, as ``root(now:)`` has it.
    /// - Throws: A root error when the PEM pair can not be used, a database error otherwise.
    package convenience init(
        database: any DatabaseWriter, root: RootSource = .generatedRoot, volatility: IdentityError? = nil,
        isClockKept: @escaping @Sendable () -> Bool = { false }
    ) throws(IdentityError) {
        try self.init(
            database: database, root: root, volatility: volatility, directory: nil, isClockKept: isClockKept)
    }

    private init(
        database: any DatabaseWriter, root: RootSource, volatility: IdentityError?, directory: String?,
        isClockKept: @escaping @Sendable () -> Bool
    ) throws(IdentityError) {
        self.isClockKept = isClockKept
        self.volatility = volatility
        self.directory = directory
        switch root {
        case .generatedRoot:
            self.configuredRoot = nil
        case .pem(let certificate, let privateKey):
            self.configuredRoot = try RootAuthority(pemCertificate: certificate, pemKey: privateKey)
        }
        self.database = database
        try StateSchema.migrateIdentities(database)
    }

    /// Opens the database in `stateDirectory`, as ``StateDatabase/open(directory:verifying:)`` does.
    ///
    /// A database that is damaged, or gone from a directory that had one, is an error: what is in it is never replaced by
    /// something new.
    ///
    /// When the directory is read-only or its disk is full, the store works on a copy in memory of what is there, and
    /// ``volatility`` says why.
    ///
    /// - Parameters:
    ///   - stateDirectory: A path; the directory is made when it is missing.
    ///   - isClockKept: Whether the time of day is known to be right, as ``root(now:)`` has it.
    /// - Throws: As ``StateDatabase/open(directory:verifying:)`` and ``init(database:root:volatility:isClockKept:)``.
    package static func open(
        stateDirectory: String, root: RootSource = .generatedRoot,
        isClockKept: @escaping @Sendable () -> Bool = { false }
    ) throws(IdentityError) -> IdentityStore {
        let obstacle: IdentityError
        do {
            let database = try StateDatabase.open(directory: stateDirectory, verifying: root)
            try StateDatabase.checkWriting(database)
            let store = try IdentityStore(
                database: database, root: root, volatility: nil, directory: stateDirectory, isClockKept: isClockKept)
            try store.remember()
            return store
        } catch {
            guard error.isRefusedWriting else { throw error }
            obstacle = error
        }
        let copy: any DatabaseWriter
        do {
            copy = try StateDatabase.copyToMemory(directory: stateDirectory)
            let marker = StateMarker.read(directory: stateDirectory)
            let path = StateDatabase.path(in: stateDirectory)
            try copy.reading { db in
                try StateDatabase.verify(db, path: path, marker: marker, root: root, thoroughness: .quick)
            }
        } catch {
            if case .databaseDamaged = error { throw error }
            // There is nothing to work with; what stands in the way of making it is what the operator must know.
            throw obstacle
        }
        return try IdentityStore(database: copy, root: root, volatility: obstacle)
    }

    /// The reason nothing more can be kept at the moment: the disk is full or fails; `nil` when all is well, and for a store that keeps
    /// nothing anyway. Blocks.
    package func writingObstacle() -> String? {
        self.writingObstacle(free: Self.freeBytes)
    }

    /// - Parameter free: how many bytes are free on the disk of a directory; `nil` when that cannot be told.
    func writingObstacle(free: (_ directory: String) -> Int64?) -> String? {
        guard let directory else { return nil }
        if let free = free(directory), free < Self.leastFree {
            return "the disk of \(directory) is full: \(free >> 10) KiB are left"
        }
        do throws(IdentityError) {
            try StateDatabase.checkWriting(self.database)
            return nil
        } catch {
            return error.description
        }
    }

    private static func freeBytes(on directory: String) -> Int64? {
        var disk = statvfs()
        guard statvfs(directory, &disk) == 0, disk.f_blocks > 0 else { return nil }
        return Int64(clamping: UInt64(disk.f_bavail) &* UInt64(disk.f_frsize))
    }

    /// The free bytes that the disk must have: the write-ahead logs of the databases have room then.
    private static let leastFree: Int64 = 4 << 20

    /// Writes down beside the database what is in it, so that a loss of it is noticed later. Call it when all parts of
    /// Castway have made their tables.
    ///
    /// - Throws: A database error.
    package func remember() throws(IdentityError) {
        guard let directory = self.directory else { return }
        let marker = try self.database.reading { try StateMarker($0) }
        // Before there is a root or a device, nothing would be missed.
        let isEmpty = try self.database.reading { db in
            try marker.root == nil && Int.fetchOne(db, sql: "SELECT count(*) FROM identity_device") == 0
        }
        if !isEmpty { marker.write(directory: directory) }
    }

    /// Brings everything that was written into the one file of the database, which can be copied then as long as nothing
    /// more is written.
    ///
    /// - Throws: A database error.
    package func checkpoint() throws(IdentityError) {
        guard self.directory != nil else { return }
        do {
            try self.database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        } catch {
            throw IdentityError(database: error, path: self.database.path)
        }
    }

    /// Ends all work on the database: everything is in its one file then, and its other files are gone. Later calls of
    /// anything that uses it fail.
    ///
    /// - Throws: A database error.
    package func close() throws(IdentityError) {
        let outcome = Result { () throws(IdentityError) in try self.checkpoint() }
        do {
            try self.database.close()
        } catch {
            throw IdentityError(database: error, path: self.database.path)
        }
        try outcome.get()
    }

    /// The root certificate. With a generated root, makes it on first use and again when it has expired, or was made while the clock was
    /// wrong: when it begins more than a day from now, and either the clock is known to be right, or this store has made it within the
    /// last hour.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: ``IdentityError/rootExpired(notAfter:)`` for a configured root, or a database error.
    package func root(now: Int64) throws(IdentityError) -> RootCertificate {
        try self.authority(now: now).described()
    }

    /// The identity of a device, made on first use.
    ///
    /// UUID and key never change. The certificates are replaced when another root is configured and within thirty days
    /// of their end.
    ///
    /// - Parameters:
    ///   - name: The device's key in the database, not empty.
    ///   - now: Seconds since 1970.
    /// - Throws: ``IdentityError/emptyDeviceName``, ``IdentityError/storedIdentityDamaged(subject:reason:)``,
    ///   ``IdentityError/rootExpired(notAfter:)`` or a database error.
    package func loadOrCreate(device name: String, now: Int64) throws(IdentityError) -> DeviceIdentity {
        guard !name.isEmpty else { throw .emptyDeviceName }
        let authority = try self.authority(now: now)
        if let stored = try self.database.reading({ try DeviceRow.fetch($0, name: name) }) {
            return try self.renewed(stored, authority: authority, now: now)
        }

        if let volatility { throw .identityNotKept(device: name, reason: volatility.description) }
        // Keys are made outside the transaction: others would wait for them.
        let key = try self.keys.next()
        let uuid = try DeviceUUID.random()
        let made = DeviceRow(
            name: name, uuid: uuid, privateKey: try key.der(),
            chain: try authority.issueChain(for: key, uuid: uuid, keys: self.keys, now: now))
        let kept = try self.database.writing { db in
            if let earlier = try DeviceRow.fetch(db, name: name) { return earlier }
            try made.insert(db)
            return made
        }
        return try kept.identity()
    }

    /// Returns the names that no identity is stored under, in their order; their keys are yet to be made.
    ///
    /// - Throws: A database error.
    package func missing(of names: [String]) throws(IdentityError) -> [String] {
        let stored = Set(try self.database.reading { try String.fetchAll($0, sql: "SELECT name FROM identity_device") })
        return names.filter { !stored.contains($0) }
    }

    /// The device's TLS leaf, made on first use and replaced when it ends within 24 hours or has a key of another kind.
    ///
    /// - Parameters:
    ///   - identity: A device of this store.
    ///   - kind: The kind of key that the leaf has.
    ///   - now: Seconds since 1970.
    /// - Throws: ``IdentityError/cryptographyFailed(action:reason:)`` or a database error.
    package func currentLeaf(
        for identity: DeviceIdentity, key kind: TLSKeyKind = .p256, now: Int64
    ) throws(IdentityError) -> TLSLeaf {
        let stored = try self.database.reading { try LeafRow.fetch($0, deviceUUID: identity.uuid) }
        if let stored, !stored.needsRenewal(at: now, key: kind) { return stored }

        let made = try TLSLeaf.generate(commonName: identity.uuid, key: kind, now: now)
        return try self.database.writing { db in
            if let other = try LeafRow.fetch(db, deviceUUID: identity.uuid),
                !other.needsRenewal(at: now, key: kind)
            {
                return other
            }
            try LeafRow.save(db, leaf: made, deviceUUID: identity.uuid)
            return made
        }
    }

    /// A TLS leaf for the device that is kept nowhere, for a database that cannot be written to.
    ///
    /// - Parameters:
    ///   - identity: A device of this store.
    ///   - kind: The kind of key that the leaf has.
    ///   - now: Seconds since 1970.
    /// - Throws: ``IdentityError/cryptographyFailed(action:reason:)``.
    package func transientLeaf(
        for identity: DeviceIdentity, key kind: TLSKeyKind = .p256, now: Int64
    ) throws(IdentityError) -> TLSLeaf {
        try TLSLeaf.generate(commonName: identity.uuid, key: kind, now: now)
    }

    /// All stored identities as they are, in the order of their names; makes and renews nothing.
    ///
    /// - Throws: ``IdentityError/storedIdentityDamaged(subject:reason:)`` or a database error.
    package func list() throws(IdentityError) -> [DeviceIdentity] {
        var identities: [DeviceIdentity] = []
        for record in try self.database.reading({ try DeviceRow.fetchAll($0) }) {
            identities.append(try record.identity())
        }
        return identities
    }

    /// The signing root: the configured one, or Castway's own, which is made on first use.
    func authority(now: Int64) throws(IdentityError) -> RootAuthority {
        if let configured = self.configuredRoot {
            guard !configured.isExpired(at: now) else { throw .rootExpired(notAfter: configured.validity.notAfter) }
            return configured
        }
        if let stored = try self.database.reading({ try RootRow.fetch($0) })?.authority(),
            !stored.isExpired(at: now), !self.isFromWrongTime(stored, now: now)
        {
            return stored
        }

        if let volatility { throw volatility }
        let made = try RootAuthority.generate(keys: self.keys, now: now)
        let record = RootRow(certificate: made.certificate, privateKey: try made.key.der())
        let kept = try self.database.writing { db in
            if let other = try RootRow.fetch(db)?.authority(), !other.isExpired(at: now),
                !self.isFromWrongTime(other, now: now)
            {
                return other
            }
            try record.save(db)
            return made
        }
        if kept.fingerprint == made.fingerprint { self.madeRoot.withLock { $0 = (made.fingerprint, .now) } }
        try self.remember()
        return kept
    }

    /// True if a root begins so late that it is of no use, and the clock that it was made by was wrong rather than this one.
    private func isFromWrongTime(_ root: RootAuthority, now: Int64) -> Bool {
        guard root.validity.notBefore - now > Self.longestWait else { return false }
        let made = self.madeRoot.withLock { $0 }
        if let made, made.fingerprint == root.fingerprint, .now - made.time < Self.timeToSetClock { return true }
        return self.isClockKept()
    }

    private func renewed(
        _ stored: DeviceRow, authority: RootAuthority, now: Int64
    ) throws(IdentityError) -> DeviceIdentity {
        let identity = try stored.identity()
        guard !authority.isCurrent(stored.chain, now: now) else { return identity }
        guard let uuid = DeviceUUID(identity.uuid) else { return identity }
        let chain = try authority.issueChain(for: identity.key, uuid: uuid, keys: self.keys, now: now)
        let kept = try self.database.writing { db in
            if let other = try DeviceRow.fetch(db, name: stored.name), authority.isCurrent(other.chain, now: now) {
                return other.chain
            }
            try DeviceRow.replaceChain(db, name: stored.name, chain: chain)
            return chain
        }
        return DeviceIdentity(name: stored.name, uuid: uuid, key: identity.key, chain: kept)
    }
}
