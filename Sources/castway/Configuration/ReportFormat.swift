import ArgumentParser
import GatewayConfig

/// The forms of a report that `--format` names.
enum ReportFormat: String, OutputForm {
    case text
    case json
    case github

    /// The same in the words of the report.
    var reportFormat: ConfigReport.Format {
        switch self {
        case .text: .text
        case .json: .json
        case .github: .github
        }
    }
}
