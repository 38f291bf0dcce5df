/// `log` of `gateway.yaml`: a reload puts it in force; the start of the process has done so before the gateway is made.
struct LoggingFeature: GatewayFeature {
    let name = "logging"
    private let apply: @Sendable (LogConfiguration) -> Void

    /// - Parameter apply: puts a changed `log` in force.
    init(apply: @escaping @Sendable (LogConfiguration) -> Void) {
        self.apply = apply
    }

    func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let log = change.new.log
        return PreparedChange(commit: { self.apply(log) })
    }
}
