import CAvahi

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
