// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with: see CONTRIBUTING.md, "The compiler's rules".
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

extension Target.Dependency {
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let logging = product(name: "Logging", package: "swift-log")
    static let arguments = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let database = product(name: "GRDB", package: "GRDB.swift")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
}

let package = Package(
    name: "castway",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
    ],
    targets: [
        // Layer 0: C libraries, nothing else.
        .systemLibrary(name: "CCrypto"),
        .systemLibrary(name: "CYAML"),

        // Layer 1: the protocol, and what touches the network and the C libraries.
        .target(name: "CastWire", dependencies: [.nioCore], swiftSettings: settings),
        .target(
            name: "CastTransport", dependencies: ["CastWire", .nioCore, .nioPosix, .nioTLS, .nioSSL],
            swiftSettings: settings),

        .target(name: "CastIdentity", dependencies: ["CCrypto", .database], swiftSettings: settings),

        // Layer 2: the contracts.
        .target(name: "GatewayConfig", dependencies: ["CYAML"], swiftSettings: settings),
        .target(
            name: "GatewayCore", dependencies: ["CastWire", .nioCore, .logging, .lifecycle], swiftSettings: settings),

        // Layer 3: the features; none imports another.
        .target(
            name: "VirtualDevices",
            dependencies: [
                "CastIdentity", "CastTransport", "CastWire", "GatewayConfig", "GatewayCore", .httpTypes, .hummingbird,
                .product(name: "HummingbirdCore", package: "hummingbird"), .nioCore, .nioPosix, .logging, .lifecycle,
            ], swiftSettings: settings),
        .target(
            name: "DeviceSessions",
            dependencies: [
                "CastTransport", "CastWire", "GatewayConfig", "GatewayCore", .nioCore, .logging, .lifecycle,
            ], swiftSettings: settings),
        .target(
            name: "NamespaceHandlers", dependencies: ["CastWire", "GatewayConfig", "GatewayCore"],
            swiftSettings: settings),

        // Layer 4: wiring, and the command line.
        .target(
            name: "GatewayApp",
            dependencies: [
                "CastIdentity", "DeviceSessions", "GatewayConfig", "GatewayCore", "NamespaceHandlers", "VirtualDevices",
                .nioCore, .nioPosix, .logging, .lifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: settings),
        .executableTarget(name: "smoke", dependencies: ["GatewayApp", .logging], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
