import CCrypto

/// The error queue that libcrypto keeps for each thread.
enum OpenSSLErrors {
    /// Takes every queued error and leaves the queue empty, so that the next failure does not report this one.
    ///
    /// - Returns: The errors' texts joined by `; `, or `no reason given`.
    static func drain() -> String {
        var texts: [String] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            texts.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return texts.isEmpty ? "no reason given" : texts.joined(separator: "; ")
    }

    /// Empties the queue after a failure whose reason is already known.
    static func clear() {
        ERR_clear_error()
    }
}
