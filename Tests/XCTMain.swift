// Where the test program begins. SwiftPM would write this file itself, after it has looked for XCTest's classes in the index
// of the sources; Castway has none of those, and builds without an index. SwiftPM asks for this name.
import Glibc
import Testing

// `swift test` asks for both libraries, one after the other.
guard CommandLine.arguments.contains("swift-testing") else { exit(0) }
await Testing.__swiftPMEntryPoint() as Never
