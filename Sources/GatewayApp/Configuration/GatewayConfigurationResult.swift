public import GatewayConfig

/// What came of reading `gateway.yaml`.
public struct GatewayConfigurationResult: Sendable {
    /// The typed configuration; nil when there is any error.
    public var configuration: GatewayConfiguration?
    /// The checked tree with the origin of every value, for `castway config print`.
    public let document: ConfigDocument
    /// What is wrong, sorted, with the lines it is about.
    public let report: ConfigReport

    /// The problems of the report.
    public var problems: [ConfigProblem] { self.report.problems }
}
