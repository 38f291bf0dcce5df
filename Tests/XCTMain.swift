// Where the test program begins. SwiftPM would write this file itself, after it has looked for XCTest's classes in the index
// of the sources; Castway has none of those, and builds without an index. SwiftPM asks for this name.
import Dispatch
import Glibc
import Testing

// `swift test` asks for both libraries, one after the other.
guard CommandLine.arguments.contains("swift-testing") else { exit(0) }
// Not awaited here: the optimiser gives the beginnings of two programs that await in them the same name, and castway is the other.
Task { await Testing.__swiftPMEntryPoint() as Never }
dispatchMain()
