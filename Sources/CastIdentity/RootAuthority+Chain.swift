extension RootAuthority {
    /// Issues an intermediate and a device certificate.
    ///
    /// The intermediate is made for this one device and its key is forgotten here, so nothing but the root can sign
    /// anything new.
    ///
    /// - Parameters:
    ///   - key: The device's key.
    ///   - uuid: The device's UUID; its digits in upper case become the common name.
    ///   - now: Seconds since 1970.
    func issueChain(for key: PrivateKey, uuid: DeviceUUID, now: Int64) throws(IdentityError) -> DeviceChain {
        guard let root = Certificate(der: self.certificate) else { throw .cryptography("read a certificate") }
        let validity = self.chainValidity(now: now)
        let intermediateKey = try PrivateKey.generate()
        let intermediate = try CertificateBuilder.start(
            commonName: "Castway Device CA \(uuid.hexText.prefix(8))", key: intermediateKey, validity: validity
        ).signed(profile: .intermediate, by: root, with: self.key)
        guard let issuer = Certificate(der: intermediate) else { throw .cryptography("read a certificate") }
        let device = try CertificateBuilder.start(commonName: uuid.hexText.uppercased(), key: key, validity: validity)
            .signed(profile: .device, by: issuer, with: intermediateKey)
        return DeviceChain(device: device, intermediate: intermediate, rootFingerprint: self.fingerprint)
    }

    /// Whether `chain` was issued by this root and need not be replaced yet.
    func isCurrent(_ chain: DeviceChain, now: Int64) -> Bool {
        guard chain.rootFingerprint == self.fingerprint, let stored = Certificate(der: chain.device)?.validity else {
            return false
        }
        let possible = self.chainValidity(now: now)
        let moment = self.plausible(now)
        guard stored.notBefore <= moment else { return false }
        // Near the root's own end a new chain would end no later than the stored one.
        return stored.notAfter - moment >= Self.renewalMargin || stored.notAfter >= possible.notAfter
    }

    private func chainValidity(now: Int64) -> Validity {
        let wanted = Validity.starting(at: self.plausible(now), lasting: Self.deviceLifetime)
        return Validity(notBefore: wanted.notBefore, notAfter: min(wanted.notAfter, self.validity.notAfter))
    }

    /// The moment to issue for: a clock that shows a time before the root existed has not been set yet, as on a small
    /// board after power-up, and a chain from that time would have expired for everybody else.
    private func plausible(_ now: Int64) -> Int64 {
        max(now, self.validity.notBefore + Validity.backdating)
    }
}
