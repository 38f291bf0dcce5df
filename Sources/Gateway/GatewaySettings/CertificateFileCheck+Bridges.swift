import CastIdentity
import GatewayConfig
import GatewayOperations
import MessageBridges

extension CertificateFileCheck {
    /// Reads what bridges trust, as they do when they begin.
    func checkBridges(_ section: ConfigSection, _ problems: inout ConfigProblems) {
        for webhook in section.sections("webhooks") { self.checkRoots(webhook, &problems) }
        if let broker = section.optionalSection("mqtt") { self.checkRoots(broker, &problems) }
    }

    private func checkRoots(_ section: ConfigSection, _ problems: inout ConfigProblems) {
        guard section.isValid("ca_file"), let file = self.file("ca_file", section, &problems) else { return }
        do throws(TrustedRootsFile.Unusable) {
            let roots = try TrustedRootsFile(file.contents)
            guard roots.notAfter <= self.now else { return }
            problems.add(
                .unusableFile, at: section.location("ca_file"),
                "'\(section.path("ca_file"))': every certificate in \(file.path) has ended, the last at \(UTCTime(seconds: roots.notAfter))",
                hint: "put the present certificates there, and reload", severity: .warning)
        } catch {
            problems.add(
                .unusableFile, at: section.location("ca_file"),
                "'\(section.path("ca_file"))' cannot be used: \(file.path): \(error)")
        }
    }
}
