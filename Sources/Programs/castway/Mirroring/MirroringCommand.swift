import ArgumentParser
import GatewaySettings
import Passthrough

struct MirroringCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "mirroring", "What this machine needs to carry mirrored streams to devices whose senders are passed through.",
        subcommands: [MirroringRulesCommand.self])
}

struct MirroringRulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "rules", "Prints the rules of nftables that bring mirrored streams to the gateway.",
        """
        Changes nothing. The rules are one table, \(MirroringRules.table), that replaces the one that is there. It follows \
        from gateway.yaml: one line for each device with 'target: {passthrough: …}' and 'mirroring: {udp: relay}'. Without such \
        a device the rules take the table away. castway-mirroring.service sets them and takes them away.
        """,
        examples: [
            "castway mirroring rules --config /etc/castway/gateway.yaml", "castway mirroring rules | sudo nft -f -",
        ])

    @OptionGroup var file: ConfigOption

    func run() throws {
        StandardOutput.write(try ConfigurationFile.configuration(self.file.path).mirroringRules.text)
    }
}
