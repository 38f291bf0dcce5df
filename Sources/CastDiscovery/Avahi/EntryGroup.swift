import CAvahi

/// What is announced for one virtual device: an entry group of Avahi's for what is always there, and one for what is
/// there while an app runs, so that the service itself stays announced when apps come and go.
///
/// Lives on the Avahi thread.
final class EntryGroup {
    /// The daemon takes so many entries in a group by default; a service needs four of them and an address two.
    private static let maximumSubtypes = 24

    private unowned let publisher: MulticastPublisher
    let key: String
    private var main: OpaquePointer?
    private var running: OpaquePointer?
    /// What was announced, which updates have to name again.
    private var instance = ""
    private var service: PublishedService?

    init(_ publisher: MulticastPublisher, key: String) {
        self.publisher = publisher
        self.key = key
    }

    /// Announces a service in place of what there was.
    /// - Returns: the error's number; 0 when the daemon has taken everything.
    func build(_ service: PublishedService, instance: String, client: OpaquePointer) -> Int32 {
        self.withdrawRunning()
        self.instance = instance
        self.service = service
        if let main {
            avahi_entry_group_reset(main)
        } else {
            self.main = avahi_entry_group_new(
                client,
                { group, state, context in
                    guard let group, let context else { return }
                    let entry = Unmanaged<EntryGroup>.fromOpaque(context).takeUnretainedValue()
                    entry.changed(group, state)
                }, Unmanaged.passUnretained(self).toOpaque())
        }
        guard let main else { return avahi_client_errno(client) }
        if let place = service.place {
            let code = self.add(place, to: main)
            guard code == 0 else { return code }
        }
        let txt = TXTEntry.list(of: service.record.txt)
        defer { avahi_string_list_free(txt) }
        let code = avahi_entry_group_add_service_strlst(
            main, self.interface, self.family, self.flags, instance, CastService.type, nil, service.place?.host,
            UInt16(clamping: service.port), txt)
        guard code == 0 else { return code }
        for subtype in service.subtypes.prefix(Self.maximumSubtypes) {
            let code = self.add(subtype, to: main)
            guard code == 0 else { return code }
        }
        return avahi_entry_group_commit(main)
    }

    /// Announces another record for the same service.
    func update(_ record: DeviceRecord) -> Int32 {
        guard let main else { return Int32(AVAHI_ERR_BAD_STATE) }
        self.service?.record = record
        let txt = TXTEntry.list(of: record.txt)
        defer { avahi_string_list_free(txt) }
        return avahi_entry_group_update_service_txt_strlst(
            main, self.interface, self.family, self.flags, self.instance, CastService.type, nil, txt)
    }

    /// Announces other subtypes beside those that are always there.
    func announceRunning(_ subtypes: [ServiceSubtype], client: OpaquePointer) {
        self.withdrawRunning()
        let known = Set(self.service?.subtypes ?? [])
        let new = subtypes.filter { !known.contains($0) }.prefix(Self.maximumSubtypes)
        guard !new.isEmpty else { return }
        self.running = avahi_entry_group_new(client, { _, _, _ in }, nil)
        guard let running else { return }
        for subtype in new { _ = self.add(subtype, to: running) }
        avahi_entry_group_commit(running)
    }

    /// Says goodbye.
    func withdraw() {
        self.withdrawRunning()
        if let main { avahi_entry_group_free(main) }
        self.main = nil
    }

    /// Avahi's objects went with their client.
    func forget() {
        self.main = nil
        self.running = nil
    }

    private func withdrawRunning() {
        if let running { avahi_entry_group_free(running) }
        self.running = nil
    }

    private func changed(_ group: OpaquePointer, _ state: AvahiEntryGroupState) {
        // The first call comes before the pointer is known here; nothing is announced then.
        guard group == self.main else { return }
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: self.publisher.handle(.established, of: self)
        case AVAHI_ENTRY_GROUP_COLLISION: self.publisher.handleLater(.collision, of: self)
        case AVAHI_ENTRY_GROUP_FAILURE:
            let code = avahi_client_errno(avahi_entry_group_get_client(group))
            self.publisher.handleLater(.failure(reason: AvahiErrorText.text(code)), of: self)
        default: break
        }
    }

    // MARK: Entries

    private var interface: Int32 {
        self.service?.interface ?? self.service?.place?.interface ?? AddressFamily.avahiUnspecified
    }
    private var family: AvahiProtocol { self.service?.family?.avahi ?? AddressFamily.avahiUnspecified }
    private var flags: AvahiPublishFlags { AvahiPublishFlags(rawValue: 0) }

    private func add(_ subtype: ServiceSubtype, to group: OpaquePointer) -> Int32 {
        avahi_entry_group_add_service_subtype(
            group, self.interface, self.family, self.flags, self.instance, CastService.type, nil, subtype.type)
    }

    private func add(_ place: PublishedService.Place, to group: OpaquePointer) -> Int32 {
        var address = AvahiAddress()
        guard avahi_address_parse(place.address, AddressFamily.avahiUnspecified, &address) != nil else {
            return Int32(AVAHI_ERR_INVALID_ADDRESS)
        }
        // The address leads back to the machine's own name already.
        return avahi_entry_group_add_address(
            group, self.interface, AddressFamily.avahiUnspecified, AVAHI_PUBLISH_NO_REVERSE, place.host, &address)
    }
}

extension TXTEntry {
    /// More bytes than any record that fits into packets.
    private static let maximumEntries = 128

    /// Copies a record from Avahi's list.
    static func entries(of list: UnsafeMutablePointer<AvahiStringList>?) -> [TXTEntry] {
        var entries: [TXTEntry] = []
        var node = list
        while let current = node, entries.count < Self.maximumEntries {
            if let text = avahi_string_list_get_text(current) {
                let bytes = Array(UnsafeBufferPointer(start: text, count: avahi_string_list_get_size(current)))
                if let entry = TXTEntry(bytes: bytes) { entries.append(entry) }
            }
            node = avahi_string_list_get_next(current)
        }
        return entries
    }

    /// Makes Avahi's list of a record; the caller frees it.
    static func list(of entries: [TXTEntry]) -> UnsafeMutablePointer<AvahiStringList>? {
        var list: UnsafeMutablePointer<AvahiStringList>?
        // Avahi's lists grow at their beginning.
        for entry in entries.reversed() {
            let bytes = entry.bytes
            list = avahi_string_list_add_arbitrary(list, bytes, bytes.count)
        }
        return list
    }
}
