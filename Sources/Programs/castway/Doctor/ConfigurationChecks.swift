import CastIdentity
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewaySettings
import SystemPrimitives
import VirtualDevices

/// Whether `gateway.yaml` can be read and is right.
struct ConfigurationCheck: DoctorCheck {
    let path: String
    let report: ConfigReport

    let name = "configuration"

    func findings() async -> [DoctorFinding] {
        let errors = self.report.problems.filter { $0.severity == .error }
        guard let first = errors.first else {
            let warnings = self.report.problems.count
            guard warnings > 0 else { return .ok(self.path, "readable and right") }
            return .warn(
                self.path, "readable, with \(warnings) warning\(warnings == 1 ? "" : "s")",
                advice: "castway check \(self.path)")
        }
        let others = errors.count == 1 ? "" : ", and \(errors.count - 1) more"
        return .fail(
            self.path, "\(first.code.rawValue) at \(first.location): \(first.message)\(others)",
            advice: "castway check \(self.path); what depends on the configuration has not been looked at")
    }
}

/// Whether the certificates of the virtual devices are there and valid, and the trust anchors for real devices readable.
struct CertificateCheck: DoctorCheck {
    /// Before its end by less than this, a root is reported: those who trust it have to be given another.
    private static let noticePeriod: Int64 = 60 * 86_400

    let configuration: GatewayConfiguration
    var now: @Sendable () -> Int64 = { WallClock.secondsSince1970 }

    let name = "certificates"

    func findings() async -> [DoctorFinding] { self.identities() + self.anchors() }

    private func identities() -> [DoctorFinding] {
        let summary: IdentitySummary
        do throws(IdentityError) {
            summary = try self.configuration.identitySummary()
        } catch {
            return .fail(
                "identities", error.description, advice: "see Docs/operations.md, \"State\"; keep the old file")
        }
        guard let root = summary.root else { return .ok("root", "not made yet; the first run makes it") }
        let now = self.now()
        var findings = [self.finding("root", root.notBefore, root.notAfter, now: now, renews: false)]
        for device in self.configuration.virtualDevices where device.passedName == nil {
            guard let leaf = summary.leaves[device.name] else {
                findings.append(.ok("TLS certificate of \(device.name)", "not made yet; the first run makes it"))
                continue
            }
            findings.append(
                self.finding("TLS certificate of \(device.name)", leaf.notBefore, leaf.notAfter, now: now, renews: true)
            )
        }
        return findings
    }

    private func finding(
        _ subject: String, _ notBefore: Int64, _ notAfter: Int64, now: Int64, renews: Bool
    ) -> DoctorFinding {
        let span = "valid \(CalendarDate.text(notBefore)) to \(CalendarDate.text(notAfter))"
        if now < notBefore {
            let found = "\(span), and today is \(CalendarDate.text(now))"
            guard !renews else { return .ok(subject, "\(found); castway renews it once the clock is right") }
            return self.configuration.identity.rootCertificateFile == nil
                ? .fail(
                    subject, found,
                    advice:
                        "set the clock right, and let NTP keep it (timedatectl set-ntp true): a root that was made while the clock was "
                        + "wrong is then made anew by the next start, and senders that trust the old one need the new one"
                )
                : .fail(
                    subject, found, advice: "set the clock right, or name a root in 'identity' that is valid already")
        }
        if renews { return now > notAfter ? .ok(subject, "\(span); the next run renews it") : .ok(subject, span) }
        if now > notAfter {
            return .fail(
                subject, "expired: \(span)",
                advice: "name another root in 'identity', and give it to the senders that trust the old one")
        }
        if notAfter - now < Self.noticePeriod {
            return .warn(
                subject, "ends soon: \(span)", advice: "prepare another root, and give it to the senders that trust it")
        }
        return .ok(subject, span)
    }

    private func anchors() -> [DoctorFinding] {
        let connections = self.configuration.connections
        return (connections.trustAnchors + connections.revocationAnchors).map { path -> DoctorFinding in
            do throws(IdentityError) {
                let count = try TrustAnchorFile(path: path).certificates.count
                return .ok(path, "\(count) trust anchor\(count == 1 ? "" : "s")")
            } catch {
                return .fail(
                    "trust anchors", error.description,
                    advice: "mend or remove it in connections.trust_anchors; castway does not start with it")
            }
        }
    }
}
