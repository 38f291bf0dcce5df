import CAvahi

/// The records of one virtual device: an entry group of Avahi's for the service, and one for the subtypes by which it is found.
///
/// Subtypes are answered when they are asked for, and never announced. Senders on python-zeroconf take the PTR record of a subtype for one
/// of the service: its goodbye, or the end of its lifetime, removes a device that is there (protocol notes, 1.4).
///
/// Lives on the Avahi thread.
final class EntryGroup {
    /// The daemon takes 32 entries in a group by default.
    private static let maximumSubtypes = 32

    private unowned let publisher: MulticastPublisher
    let key: String
    private var main: OpaquePointer?
    private var subtypes: OpaquePointer?
    /// The announced name, which updates have to name again.
    private var instance = ""
    private var service: PublishedService?

    init(_ publisher: MulticastPublisher, key: String) {
        self.publisher = publisher
        self.key = key
    }

    /// Announces a service in place of what there was.
    /// - Returns: the error's number; 0 when the daemon has taken everything.
    func build(_ service: PublishedService, instance: String, client: OpaquePointer) -> Int32 {
        self.withdrawSubtypes()
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
        return avahi_entry_group_commit(main)
    }

    func update(_ record: DeviceRecord) -> Int32 {
        guard let main else { return Int32(AVAHI_ERR_BAD_STATE) }
        self.service?.record = record
        let txt = TXTEntry.list(of: record.txt)
        defer { avahi_string_list_free(txt) }
        return avahi_entry_group_update_service_txt_strlst(
            main, self.interface, self.family, self.flags, self.instance, CastService.type, nil, txt)
    }

    /// Answers to these subtypes and to no others from now on. The network is told nothing of it.
    func answer(to subtypes: [ServiceSubtype], client: OpaquePointer) {
        self.withdrawSubtypes()
        guard !subtypes.isEmpty else { return }
        // A group that is committed again waits for a second or more; a new one does not.
        self.subtypes = avahi_entry_group_new(client, { _, _, _ in }, nil)
        guard let group = self.subtypes else { return }
        let domain = avahi_client_get_domain_name(client).map { String(cString: $0) } ?? "local"
        let instance = CastService.wireName(instance: self.instance, domain: domain)
        for subtype in subtypes.prefix(Self.maximumSubtypes) {
            _ = avahi_entry_group_add_record(
                group, self.interface, self.family, AVAHI_PUBLISH_NO_ANNOUNCE, "\(subtype.type).\(domain)",
                PointerRecord.internetClass, PointerRecord.type, PointerRecord.lifetime, instance, instance.count)
        }
        avahi_entry_group_commit(group)
    }

    func withdraw() {
        self.withdrawSubtypes()
        if let main { avahi_entry_group_free(main) }
        self.main = nil
    }

    /// Forgets Avahi's objects, which went with their client.
    func forget() {
        self.main = nil
        self.subtypes = nil
    }

    private func withdrawSubtypes() {
        if let subtypes { avahi_entry_group_free(subtypes) }
        self.subtypes = nil
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

/// The record by which a subtype names an instance (RFC 6763, section 7.1).
private enum PointerRecord {
    static let internetClass: UInt16 = 1
    static let type: UInt16 = 12
    /// That of the service's own PTR record, in seconds.
    static let lifetime: UInt32 = 4500
}

extension TXTEntry {
    /// More bytes than any record that fits into packets.
    private static let maximumEntries = 128

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
