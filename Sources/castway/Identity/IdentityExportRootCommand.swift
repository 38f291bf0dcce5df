import ArgumentParser
import CastIdentity
import GatewayApp
import Glibc

/// `castway identity export-root`
struct IdentityExportRootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-root",
        abstract: "Writes the root certificate in PEM, for browsers that shall trust the virtual devices.",
        discussion: """
            Chromium takes it on its command line; it accepts the virtual devices then:

              castway identity export-root --output castway-root.pem
              chromium --cast-developer-certificate-path=castway-root.pem

            The first start of the gateway makes the root; this makes nothing. The private key stays in the state \
            directory.
            """)

    @OptionGroup var file: ConfigPathOption

    @Option(name: .shortAndLong, help: ArgumentHelp("Where to write; default: standard output.", valueName: "file"))
    var output: String?

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        guard let root = try configuration.storedState().root else {
            throw CommandFailure(
                .stateUnusable,
                "state directory \(configuration.gateway.stateDirectory): there is no root yet; the first 'castway run' makes it"
            )
        }
        guard let output = self.output else { return StandardOutput.write(root.pem) }
        let file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else {
            throw CommandFailure(.outputUnusable, "\(output): cannot be written: \(SystemError.text(errno))")
        }
        let isWritten = FileDescriptor.write(root.pem, to: file)
        guard close(file) == 0, isWritten else {
            throw CommandFailure(.outputUnusable, "\(output): cannot be written")
        }
        StandardError.write("Chromium: start it with --cast-developer-certificate-path=\(output.printable)\n")
    }
}
