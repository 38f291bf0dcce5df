package import GatewayConfig

extension OutboundURL {
    /// Checks the key `url` of a mapping that has `allow_http` and `allow_private` beside it.
    /// - Parameters:
    ///   - risk: what could happen without TLS, a clause: `messages could be read`.
    ///   - remedy: where that is no matter, a clause: `something else encrypts`.
    /// - Returns: the URL; nil when there is none that can be read.
    @discardableResult
    package static func check(
        _ section: ConfigSection, risk: String, remedy: String, problems: inout ConfigProblems,
        _ read: (String) throws(Malformed) -> OutboundURL
    ) -> OutboundURL? {
        guard section.isValid("url") else { return nil }
        let (place, path) = (section.location("url"), section.path("url"))
        let url: OutboundURL
        do throws(Malformed) {
            url = try read(section.string("url"))
        } catch {
            problems.add(.malformedValue, at: place, "'\(path)' \(error)", hint: error.hint)
            return nil
        }
        if !url.isEncrypted, !section.boolean("allow_http") {
            problems.add(
                .inconsistent, at: place, "'\(path)' has no TLS, so that \(risk) on the way",
                hint: "use https://, or say 'allow_http: true' where \(remedy)")
        }
        let rule = OutboundAddressRule(allowsPrivate: section.boolean("allow_private"))
        for address in HostResolver.addresses(ofLiteral: url) {
            guard let refusal = rule.refusal(of: address) else { continue }
            problems.add(.notAllowed, at: place, "'\(path)' leads to \(address): \(refusal)")
            break
        }
        return url
    }
}
