import ControlAPI

@testable import GuestAccess

/// Whatever a browser sends for the form of the join page, it is one code of a bounded length without control characters, or none; and
/// what it is read as is eight digits, or what a link ends in, or nothing.
///
/// The input: the body.
package enum JoinFormTarget: FuzzTarget {
    /// `join-form`
    package static let name = "join-form"

    /// Reads the form, and the code in it.
    package static func run(_ input: [UInt8]) throws {
        guard let form = JoinForm(input) else { return }
        try Violation.unless(input.count <= JoinForm.maximumBytes, "a form of \(input.count) bytes")
        try Violation.unless(form.code.count <= JoinForm.maximumLength, "a code of \(form.code.count) characters")
        try Violation.unless(
            form.code.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a control character")
        // Written again, it is the same form.
        let body =
            "\(JoinForm.field)="
            + form.code.utf8.map { "%" + (String($0, radix: 16).count < 2 ? "0" : "") + String($0, radix: 16) }
            .joined()
        if body.utf8.count <= JoinForm.maximumBytes {
            try Violation.unless(JoinForm(Array(body.utf8)) == form, "'\(form.code)' is not written as itself")
        }
        switch ShownCode(form.code) {
        case .digits(let digits):
            try Violation.unless(
                digits.utf8.count == ShownCode.digitCount && digits.utf8.allSatisfy { (0x30...0x39).contains($0) },
                "'\(digits)' are no digits")
            try Violation.unless(
                ShownCode(ShownCode.readable(digits)) == .digits(digits), "'\(digits)' is another code")
        case .link(let link):
            try Violation.unless(link.utf8.count == ShownCode.linkLength, "'\(link)' is no link")
        case nil: break
        }
    }
}
