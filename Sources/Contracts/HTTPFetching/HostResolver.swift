package import GatewayConfig
import Glibc
package import NIOCore

/// Finds the addresses of a host.
package struct HostResolver: Sendable {
    /// A host that has no address, and why.
    package struct NotFound: Error, Hashable, Sendable, CustomStringConvertible {
        /// Why, in a few words.
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// The most addresses of a host that are considered.
    package static let mostAddresses = 16

    private let lookUps: HostLookUps

    /// A resolver that finds addresses in a way of its own, for tests.
    /// - Parameter addresses: the addresses of a host in the order in which they are tried; may block.
    package init(_ addresses: @escaping @Sendable (_ host: String) throws(NotFound) -> [IPAddress]) {
        self.lookUps = HostLookUps { host in Result { () throws(NotFound) in try addresses(host) } }
    }

    /// Looks a host up, without waiting for it.
    /// - Parameters:
    ///   - owner: for whom: names that are not answered hold up other look-ups of the same owner at most.
    ///   - deadline: from then on a look-up that has not begun is not made any more.
    ///   - completion: called on another thread with the addresses in the order in which they are tried; never, when the look-up is not made.
    package func find(
        _ host: String, for owner: String, before deadline: NIODeadline,
        _ completion: @escaping @Sendable (Result<[IPAddress], NotFound>) -> Void
    ) {
        self.lookUps.find(host, for: owner, before: deadline, completion)
    }

    /// The system's resolver, getaddrinfo(3): the file of hosts, DNS, mDNS, as the machine is set up.
    package static let system = HostResolver { host throws(NotFound) in try Self.lookUp(host, flags: 0) }

    /// The addresses that a URL means without any look-up: of IPv4 also the forms of inet_aton(3), such as `0x7f000001` and `127.1`,
    /// which getaddrinfo takes. Empty for names.
    package static func addresses(ofLiteral url: OutboundURL) -> [IPAddress] {
        if let address = url.address { return [address] }
        return (try? Self.lookUp(url.host, flags: AI_NUMERICHOST)) ?? []
    }

    private static func lookUp(_ host: String, flags: Int32) throws(NotFound) -> [IPAddress] {
        var wanted = addrinfo()
        wanted.ai_family = AF_UNSPEC
        wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
        wanted.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &wanted, &list)
        guard status == 0 else {
            throw NotFound(description: gai_strerror(status).map { String(cString: $0) } ?? "error \(status)")
        }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
            guard let entry, addresses.count < Self.mostAddresses else { break }
            if let address = Self.address(entry.pointee), !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    private static func address(_ entry: addrinfo) -> IPAddress? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            let status = getnameinfo(
                entry.ai_addr, entry.ai_addrlen, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            return status == 0 ? text.baseAddress.flatMap { IPAddress(String(cString: $0)) } : nil
        }
    }
}
