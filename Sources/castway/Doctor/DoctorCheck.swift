/// One thing that `castway doctor` looks at. Changes nothing.
protocol DoctorCheck: Sendable {
    /// What it is called in the report.
    var name: String { get }

    /// Looks, within bounded time.
    func findings() async -> [DoctorFinding]
}
