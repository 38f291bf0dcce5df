// swift-tools-version: 6.2
import PackageDescription

/// Set by Scripts/fuzz.sh: Castway's own modules are built with libFuzzer's coverage and the address sanitizer.
let fuzzes = Context.environment["CASTWAY_FUZZ"] != nil
let fuzzing: [SwiftSetting] =
    fuzzes ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing", "-assert-config", "Debug"])] : []

/// Set by Scripts/build.sh for tests, which see what is internal.
let isTested = Context.environment["CASTWAY_TESTS"] != nil
/// Modules that a relayed message runs through. Tests build these optimised, as a release has them, and `make instructions` counts what
/// a message costs in them; to optimise the others as well takes four times as long.
let onMessagePath: Set = [
    "BuiltInReceiver", "CastClient", "CastTransport", "CastWire", "DeviceSessions", "GatewayCore", "GatewayJournal",
    "GatewayMetrics", "HandlerKit", "NamespaceHandlers", "SystemPrimitives", "VirtualDevices",
]

/// Set by `make bench` and `make oracle`: benchmarks, and the tests that compare the codec with SwiftProtobuf's, are built too.
let isMeasured = Context.environment["CASTWAY_BENCHMARKS"] != nil
let isCompared = Context.environment["CASTWAY_ORACLE"] != nil

/// What every target is compiled with: see CONTRIBUTING.md, "The compiler's rules".
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ] + fuzzing

extension Target.Dependency {
    static let arguments = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let database = product(name: "GRDB", package: "GRDB.swift")
    static let httpClient = product(name: "AsyncHTTPClient", package: "async-http-client")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
    static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let lifecycleTestKit = product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")
    static let logging = product(name: "Logging", package: "swift-log")
    static let metrics = product(name: "CoreMetrics", package: "swift-metrics")
    static let nioConcurrency = product(name: "NIOConcurrencyHelpers", package: "swift-nio")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioHTTP = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioHTTPTypes = product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let nioTestUtils = product(name: "NIOTestUtils", package: "swift-nio")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let nioWebSocket = product(name: "NIOWebSocket", package: "swift-nio")
    static let signals = product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let subprocess = product(name: "Subprocess", package: "swift-subprocess")
    static let systemPackage = product(name: "SystemPackage", package: "swift-system")
    static let swiftProtobuf = product(name: "SwiftProtobuf", package: "swift-protobuf")
}

let cSettings: [CSetting] = [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]

func module(_ name: String, _ dependencies: [Target.Dependency], in path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], in path: String? = nil, exclude: [String] = []
) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: settings)
}

func plugin(_ name: String, of plugin: String? = nil, in path: String) -> Target {
    .target(
        name: name, dependencies: ["PluginKit"] + (plugin.map { [.target(name: $0)] } ?? []), path: path,
        swiftSettings: settings)
}

func program(_ name: String, of plugin: String, in path: String) -> Target {
    program(name, ["PluginKit", .target(name: plugin)], in: path)
}

func program(_ name: String, _ dependencies: [Target.Dependency], in path: String) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// Targets in the folder of their layer, `Sources/<folder>` or `Tests/<folder>`.
func layer(_ folder: String, _ targets: [Target]) -> [Target] {
    for target in targets where target.path == nil {
        target.path = "\(target.isTest ? "Tests" : "Sources")/\(folder)/\(target.name)"
    }
    return targets
}

/// Layer 0: C libraries, nothing else.
let cLibraries = layer(
    "CLibraries",
    [
        "CAvahi", "CClock", "CCrypto", "CDatagrams", "CMalloc", "CMosquitto", "CPluginModule", "CQRCode", "CYAML",
    ].map { .systemLibrary(name: $0) } + [.target(name: "CProcess", cSettings: cSettings)])

/// Layer 1: the protocol, and what touches the network and the C libraries.
let protocolModules = layer(
    "Protocol",
    [
        module("SystemPrimitives", [.nioCore]),
        module("StateStore", ["SystemPrimitives", .database, .nioPosix]),
        module("CastWire", [.nioCore]),
        module("MediaRelay", ["CDatagrams", .nioCore]),
        module("CastDiscovery", ["CAvahi", "CCrypto", "CastWire", .nioCore, .nioPosix]),
        module("CastIdentity", ["CCrypto", "StateStore", "SystemPrimitives", .database]),
        module("CastTransport", ["CastWire", .nioCore, .nioPosix, .nioSSL, .nioTLS]),
        module(
            "HTTPServing",
            [
                "CastTransport", "SystemPrimitives", .httpTypes, .hummingbirdCore, .logging, .nioCore, .nioHTTP,
                .nioHTTPTypes, .nioPosix, .nioWebSocket,
            ]),
        module("CastClient", ["CastTransport", "CastWire", "SystemPrimitives", .nioCore, .nioPosix]),
    ])

/// Layer 2: the contracts between modules.
let contracts = layer(
    "Contracts",
    [
        module("GatewayConfig", ["CYAML", "CastWire"]),
        module("GatewayMetrics", [.metrics]),
        module(
            "HTTPFetching", ["CastTransport", "GatewayConfig", .httpClient, .nioCore, .nioHTTP, .nioPosix, .nioSSL]),
        module("HandlerKit", ["CastWire"]),
        module(
            "GatewayCore",
            ["CastWire", "GatewayMetrics", "HandlerKit", "SystemPrimitives", .lifecycle, .logging, .nioCore]),
        module("GatewayOperations", ["CastWire", "GatewayConfig", "GatewayCore", "SystemPrimitives", .lifecycle]),
        module(
            "GatewayJournal",
            [
                "CastWire", "GatewayConfig", "GatewayCore", "GatewayOperations", .lifecycle, .logging, .nioCore,
                .nioPosix,
            ]),
        module("GatewayLogging", ["CastWire", "GatewayConfig", "GatewayCore", "SystemPrimitives", .logging, .nioCore]),
        module(
            "DeviceListening",
            [
                "CastDiscovery", "CastTransport", "GatewayConfig", "GatewayCore", "HTTPServing", "SystemPrimitives",
                .hummingbirdCore,
                .lifecycle, .logging, .nioCore,
            ]),
        module("PluginKit", ["CPluginModule", "CastWire", "HandlerKit", "SystemPrimitives", .nioCore]),
    ])

/// Layer 3: what the gateway does on the wire; none imports another.
let features = layer(
    "Features",
    [
        module(
            "VirtualDevices",
            [
                "CastDiscovery", "CastIdentity", "CastTransport", "CastWire", "DeviceListening", "GatewayConfig",
                "GatewayCore", "HTTPServing", "SystemPrimitives", .httpTypes, .hummingbird, .hummingbirdCore, .logging,
                .nioCore, .nioPosix,
            ]),
        module(
            "Passthrough",
            [
                "CastDiscovery", "CastTransport", "CastWire", "DeviceListening", "GatewayConfig", "GatewayCore",
                "HTTPServing", "MediaRelay", "SystemPrimitives", .httpTypes, .hummingbirdCore, .logging, .nioCore,
                .nioHTTP,
                .nioPosix,
            ]),
        module("BuiltInReceiver", ["CastWire", "GatewayConfig", "GatewayCore", "SystemPrimitives", .nioCore]),
        module(
            "DeviceSessions",
            [
                "CastClient", "CastDiscovery", "CastIdentity", "CastTransport", "CastWire", "GatewayConfig",
                "GatewayCore",
                "MediaRelay", "StateStore", "SystemPrimitives", .database, .lifecycle, .logging, .nioCore, .nioPosix,
            ]),
        module("NamespaceHandlers", ["CastWire", "GatewayConfig", "GatewayCore", "HandlerKit", .logging, .nioCore]),
        module(
            "MediaCatalogues",
            [
                "CastWire", "GatewayConfig", "GatewayCore", "GatewayOperations", "HTTPFetching", "SystemPrimitives",
                .lifecycle, .logging, .nioCore, .nioHTTP, .nioPosix,
            ]),
        module(
            "MediaPictures",
            ["CCrypto", "GatewayConfig", "HTTPFetching", "SystemPrimitives", .lifecycle, .logging, .nioCore, .nioHTTP]),
        module(
            "MessageBridges",
            [
                "CCrypto", "CMosquitto", "CastWire", "GatewayConfig", "GatewayCore", "GatewayJournal", "GatewayMetrics",
                "GatewayOperations", "HTTPFetching", "StateStore", "SystemPrimitives", .database, .httpClient,
                .lifecycle,
                .logging, .nioCore, .nioHTTP, .nioPosix, .nioSSL,
            ]),
        module(
            "PluginHosting",
            [
                "CPluginModule", "CastWire", "GatewayConfig", "GatewayCore", "GatewayMetrics", "GatewayOperations",
                "PluginKit", "StateStore", "SystemPrimitives", .database, .lifecycle, .logging, .nioCore,
                .nioPosix,
                .subprocess, .systemPackage,
            ]),
        module(
            "ControlAPI",
            [
                "CastIdentity", "CastTransport", "CastWire", "GatewayConfig", "GatewayCore", "GatewayJournal",
                "GatewayMetrics", "GatewayOperations", "HTTPServing", "SystemPrimitives", .httpTypes, .hummingbird,
                .hummingbirdCore, .lifecycle, .logging, .nioCore, .nioPosix,
            ]),
    ])

/// Layer 4: the settings of a whole gateway, and the contract of its features.
let gateway = layer(
    "Gateway",
    [
        module(
            "GatewaySettings",
            [
                "BuiltInReceiver", "CastDiscovery", "CastIdentity", "CastTransport", "CastWire", "ControlAPI",
                "DeviceListening", "DeviceSessions", "GatewayConfig", "GatewayCore", "GatewayJournal", "GatewayLogging",
                "GatewayOperations", "HTTPServing", "MediaCatalogues", "MediaPictures", "MessageBridges",
                "NamespaceHandlers", "Passthrough", "PluginHosting", "PluginKit", "SystemPrimitives", "VirtualDevices",
                .logging,
            ]),
        module(
            "FeatureContract",
            [
                "CastClient", "CastDiscovery", "CastWire", "ControlAPI", "DeviceSessions", "GatewayConfig",
                "GatewayCore", "GatewayJournal", "GatewayMetrics", "GatewayOperations", "GatewaySettings",
                "Passthrough", "PluginHosting", "PluginKit", "SystemPrimitives", "VirtualDevices", .lifecycle, .logging,
                .nioCore, .nioPosix,
            ]),
    ])

/// Layer 5: features of the gateway, and what callers can have it do; none imports another.
let control = layer(
    "Control",
    [
        module(
            "CallerAccess",
            [
                "CastIdentity", "CastTransport", "CastWire", "ControlAPI", "FeatureContract", "GatewayConfig",
                "GatewayCore", "GatewayOperations", "GatewaySettings", "StateStore", .database, .logging, .nioCore,
                .nioPosix,
            ]),
        module(
            "GuestAccess",
            [
                "CastIdentity", "CastTransport", "CastWire", "ControlAPI", "FeatureContract", "GatewayConfig",
                "GatewayCore", "GatewayMetrics", "GatewayOperations", "GatewaySettings", "MessageBridges",
                "NamespaceHandlers", "Passthrough", "StateStore", "SystemPrimitives", "VirtualDevices", .database,
                .lifecycle, .logging, .nioCore, .nioPosix,
            ]),
        module(
            "HandlerControl",
            [
                "CastIdentity", "CastWire", "FeatureContract", "GatewayConfig", "GatewayCore", "GatewayOperations",
                "GatewaySettings", "NamespaceHandlers", "PluginHosting", "PluginKit", "StateStore", "VirtualDevices",
                .database, .logging, .nioCore, .nioPosix,
            ]),
        module(
            "DeviceHosting",
            [
                "BuiltInReceiver", "CastClient", "CastDiscovery", "CastIdentity", "CastTransport", "CastWire",
                "DeviceListening", "DeviceSessions", "FeatureContract", "GatewayConfig", "GatewayCore",
                "GatewayLogging", "GatewayMetrics", "GatewayOperations", "GatewaySettings", "HTTPServing", "MediaRelay",
                "NamespaceHandlers", "Passthrough", "PluginHosting", "StateStore", "SystemPrimitives", "VirtualDevices",
                .database, .lifecycle, .logging, .nioCore, .nioPosix,
            ]),
        module(
            "DeviceControl",
            [
                "BuiltInReceiver", "CastClient", "CastDiscovery", "CastIdentity", "CastWire", "ControlAPI",
                "DeviceSessions", "FeatureContract", "GatewayConfig", "GatewayCore", "GatewayMetrics",
                "GatewayOperations", "GatewaySettings", "HTTPFetching", "HandlerKit", "MediaCatalogues",
                "MediaPictures", "MessageBridges", "NamespaceHandlers", "Passthrough", "PluginHosting", "PluginKit",
                "StateStore", "SystemPrimitives", "VirtualDevices", .database, .lifecycle, .logging, .nioCore,
                .nioPosix,
            ]),
        module(
            "MediaLibrary",
            [
                "CastClient", "CastWire", "ControlAPI", "FeatureContract", "GatewayConfig", "GatewayCore",
                "GatewayMetrics", "GatewayOperations", "GatewaySettings", "MediaCatalogues", "MediaPictures",
                "SystemPrimitives",
            ]),
    ])

/// Layer 6: the features wired together, the command line, and what plugins and handlers are tested with.
let programs = layer(
    "Programs",
    [
        module(
            "GatewayApp",
            [
                "CClock", "CMalloc", "CProcess", "CallerAccess", "CastDiscovery", "CastIdentity", "CastTransport",
                "CastWire", "ControlAPI", "DeviceControl", "DeviceHosting", "DeviceSessions", "FeatureContract",
                "GatewayConfig", "GatewayCore", "GatewayJournal", "GatewayLogging", "GatewayMetrics",
                "GatewayOperations", "GatewaySettings", "GuestAccess", "HTTPFetching", "HandlerControl", "MediaLibrary",
                "MediaPictures", "MediaRelay", "MessageBridges", "NamespaceHandlers", "Passthrough", "PluginHosting",
                "PluginKit", "StateStore", "SystemPrimitives", "VirtualDevices", .lifecycle, .logging, .nioCore,
                .nioPosix, .signals,
            ]),
        module(
            "PluginTesting", ["CastWire", "GatewayConfig", "PluginHosting", "PluginKit", "SystemPrimitives", .nioCore]),
        module(
            "GatewayTesting",
            [
                "BuiltInReceiver", "CastIdentity", "CastWire", "GatewayConfig", "GatewayCore", "VirtualDevices",
                .database,
                .logging, .nioCore, .nioEmbedded, .nioPosix,
            ]),
        .executableTarget(
            name: "castway",
            dependencies: [
                "CProcess", "CQRCode", "CallerAccess", "CastClient", "CastDiscovery", "CastIdentity", "CastTransport",
                "CastWire", "ControlAPI", "DeviceControl", "DeviceHosting", "DeviceSessions", "FeatureContract",
                "GatewayApp", "GatewayConfig", "GatewayCore", "GatewayJournal", "GatewayLogging", "GatewayMetrics",
                "GatewayOperations", "GatewaySettings", "GuestAccess", "HandlerControl", "MediaLibrary",
                "NamespaceHandlers", "Passthrough", "PluginHosting", "PluginKit", "PluginTesting", "SystemPrimitives",
                "VirtualDevices", .arguments, .logging, .nioCore, .nioHTTP, .nioPosix, .signals,
            ],
            resources: [
                "config.schema.json.template", "greeting.jsonl.template", "package.swift.template",
                "plugin.py.template", "plugin.sh.template", "plugin.swift.template", "plugin.yaml.template",
                "readme.md.template",
            ].map { .embedInCode("Plugin/Templates/\($0)") }, swiftSettings: settings),
        // Starts and guards one plugin; in C, since between fork and exec nothing else may run.
        .executableTarget(name: "castway-launch", cSettings: cSettings),
    ])

/// The plugins in Swift that ship: what they do, the process, and the library that runs in process.
let shippedPlugins = [
    plugin("Quiz", in: "Plugins/quiz/Sources/Quiz"),
    program("quiz", of: "Quiz", in: "Plugins/quiz/Sources/Program"),
    plugin("QuizModule", of: "Quiz", in: "Plugins/quiz/Sources/Module"),
    plugin("WatchParty", in: "Plugins/watch-party/Sources/WatchParty"),
    program("watch-party", of: "WatchParty", in: "Plugins/watch-party/Sources/Program"),
    plugin("WatchPartyModule", of: "WatchParty", in: "Plugins/watch-party/Sources/Module"),
]

/// What tests of whole gateways use.
let wholeGateway: [Target.Dependency] = [
    "BuiltInReceiver", "CallerAccess", "CastClient", "CastDiscovery", "CastIdentity", "CastTransport", "CastWire",
    "CastwayTestSupport", "ControlAPI", "DeviceControl", "DeviceHosting", "DeviceListening", "DeviceSessions",
    "FeatureContract", "GatewayApp", "GatewayConfig", "GatewayCore", "GatewayFixtures", "GatewayJournal",
    "GatewayLogging", "GatewayMetrics", "GatewayOperations", "GatewaySettings", "GuestAccess", "HandlerControl",
    "MediaCatalogues", "MediaLibrary", "NamespaceHandlers", "Passthrough", "PluginHosting", "SystemPrimitives",
    "VirtualDevices",
    .lifecycle, .logging, .nioCore, .nioPosix,
]

/// Tests of single modules, in the folder of its layer.
let moduleTests =
    layer(
        "Protocol",
        [
            tests(
                "CastWireTests", ["CastWire", "CastwayTestSupport", .nioCore] + (isCompared ? [.swiftProtobuf] : []),
                exclude: [isCompared ? "Oracle/cast_channel.proto" : "Oracle", "Vectors"]),
            tests("CastDiscoveryTests", ["CastDiscovery", "CastWire", .nioCore, .nioEmbedded]),
            tests("MediaRelayTests", ["CastwayTestSupport", "MediaRelay"]),
            tests("SystemPrimitivesTests", ["SystemPrimitives", .nioCore, .nioEmbedded]),
            tests("StateStoreTests", ["CastwayTestSupport", "StateStore", .database]),
            tests("CastIdentityTests", ["CastIdentity", "CastwayTestSupport", "CCrypto", "StateStore", .database]),
            tests(
                "CastTransportTests",
                [
                    "CastIdentity", "CastTransport", "CastWire", "CastwayTestSupport", "GatewayCore", "GatewayTesting",
                    .nioCore, .nioEmbedded, .nioPosix, .nioSSL, .nioTestUtils, .nioTLS,
                ]),
            tests("CastClientTests", wholeGateway + [.nioEmbedded]),
            tests(
                "HTTPServingTests",
                [
                    "CastTransport", "CastwayTestSupport", "HTTPServing", .httpTypes, .hummingbirdCore, .logging,
                    .nioCore,
                    .nioEmbedded, .nioPosix, .nioWebSocket,
                ]),
        ])
    + layer(
        "Contracts",
        [
            tests("GatewayMetricsTests", ["CastwayTestSupport", "GatewayMetrics"]),
            tests("GatewayConfigTests", ["CastWire", "GatewayConfig"]),
            tests(
                "GatewayCoreTests",
                [
                    "CastClient", "CastIdentity", "CastWire", "CastwayTestSupport", "GatewayCore", "GatewayMetrics",
                    "GatewayTesting", .lifecycle, .lifecycleTestKit, .logging, .nioCore, .nioEmbedded, .nioPosix,
                ]),
            tests(
                "GatewayJournalTests",
                [
                    "CastWire", "CastwayTestSupport", "GatewayCore", "GatewayJournal", "GatewayOperations", .lifecycle,
                    .logging, .nioCore,
                ]),
            tests("PluginKitTests", ["CPluginModule", "CastWire", "PluginKit", "plugin-subject", .nioCore]),
        ])
    + layer(
        "Features",
        [
            tests(
                "VirtualDevicesTests",
                wholeGateway + ["GatewayTesting", .database, .nioConcurrency, .nioEmbedded, .nioSSL, .nioTLS]),
            tests(
                "MessageBridgesTests",
                wholeGateway + ["GatewayTesting", "HTTPFetching", "MessageBridges", .database, .nioHTTP, .nioSSL]),
            tests("MediaCataloguesTests", wholeGateway + ["HTTPFetching", .nioHTTP]),
            tests("MediaPicturesTests", wholeGateway + ["HTTPFetching", "MediaPictures", .nioHTTP]),
            tests("PassthroughTests", wholeGateway + ["MediaRelay", .nioEmbedded, .nioHTTP, .nioSSL]),
            tests(
                "BuiltInReceiverTests",
                [
                    "BuiltInReceiver", "CastWire", "CastwayTestSupport", "GatewayConfig", "GatewayCore",
                    "GatewayTesting",
                    .nioConcurrency, .nioCore, .nioEmbedded,
                ]),
            tests(
                "DeviceSessionsTests",
                wholeGateway + [
                    "CCrypto", "GatewayTesting", "MediaRelay", "StateStore", .database, .nioEmbedded,
                ]),
            tests(
                "NamespaceHandlersTests",
                [
                    "CastWire", "CastwayTestSupport", "GatewayConfig", "GatewayCore", "GatewayTesting",
                    "NamespaceHandlers",
                    .logging, .nioCore, .nioEmbedded,
                ]),
            tests("ControlAPITests", wholeGateway + ["HTTPServing", .hummingbird, .nioEmbedded]),
            tests(
                "PluginHostingTests",
                wholeGateway + ["GatewayTesting", "PluginKit", .database, .nioEmbedded]),
        ])
    + layer(
        "Programs",
        [
            tests(
                "GatewayAppTests",
                wholeGateway + [
                    "GatewayTesting", "HTTPFetching", "HTTPServing", "HandlerKit", "PluginKit", .database,
                    .lifecycleTestKit,
                    .nioEmbedded, .nioSSL,
                ]),
            tests("CastwayCommandTests", wholeGateway + ["castway", .arguments]),
            tests(
                "PluginTestingTests",
                ["CastWire", "GatewayConfig", "PluginHosting", "PluginKit", "PluginTesting", .nioPosix],
                exclude: ["Fixtures"]),
        ])

/// Tests of several modules, and what tests share.
let systemTests: [Target] = [
    // What several of Castway's own tests need: small things, and a gateway that runs while a test does.
    module("CastwayTestSupport", ["CastWire", .logging, .nioCore], in: "Tests/Support"),
    .target(
        name: "GatewayFixtures",
        dependencies: [
            "BuiltInReceiver", "CastDiscovery", "CastIdentity", "CastwayTestSupport", "GatewayApp", "GatewayConfig",
            "GatewayCore", "GatewaySettings", "NamespaceHandlers", "SystemPrimitives", "VirtualDevices",
            .lifecycleTestKit, .logging,
        ], path: "Tests/GatewayFixtures", swiftSettings: settings),
    // What is fuzzed: `make fuzz` feeds these with new inputs, `make test` with the corpora.
    .target(
        name: "FuzzTargets",
        dependencies: [
            "BuiltInReceiver", "CastDiscovery", "CastIdentity", "CastTransport", "CastWire", "CastwayTestSupport",
            "ControlAPI", "DeviceSessions", "GatewayConfig", "GatewayCore", "GatewaySettings", "GatewayTesting",
            "GuestAccess", "HTTPFetching", "HTTPServing", "MessageBridges", "NamespaceHandlers", "PluginKit",
            "VirtualDevices", .database, .logging, .nioCore, .nioEmbedded, .nioWebSocket,
        ], path: "Tests/Fuzzing/Targets", swiftSettings: settings),
    tests(
        "FuzzReplayTests", ["CastWire", "CastwayTestSupport", "FuzzTargets", "GatewayCore"],
        in: "Tests/Fuzzing/Replay"),
    tests("DiscoveryLabTests", ["castway"], exclude: ["Drivers"]),
    program("plugin-subject", ["PluginKit"], in: "Tests/PluginSubject"),
    tests("QuizTests", ["CPluginModule", "PluginKit", "Quiz", .nioCore], in: "Plugins/quiz/UnitTests"),
    tests("WatchPartyTests", ["PluginKit", "WatchParty"], in: "Plugins/watch-party/UnitTests"),
    program("chaos-subject", ["PluginKit"], in: "Tests/PluginChaosSubject"),
    tests("PluginChaosTests", wholeGateway + ["castway-launch", "chaos-subject"]),
    tests(
        "GatewayEndToEndTests",
        wholeGateway + ["GatewayTesting", "HandlerKit", .database, .lifecycleTestKit, .nioSSL, .nioTLS]),
    tests("HostilePeerTests", wholeGateway + [.nioSSL, .nioTLS]),
    tests(
        "InteropTests", wholeGateway + ["HTTPServing"],
        exclude: ["Chromium", "Drivers", "requirements-checks.txt", "requirements.txt"]),
]

let package = Package(
    name: "castway",
    products: [
        .executable(name: "castway", targets: ["castway"]),
        // What other packages import: programs that cast, handlers, plugins, and tests of them.
        .library(name: "CastClient", targets: ["CastClient"]),
        .library(name: "CastWire", targets: ["CastWire"]),
        .library(name: "GatewayCore", targets: ["GatewayCore"]),
        .library(name: "GatewayTesting", targets: ["GatewayTesting"]),
        .library(name: "HandlerKit", targets: ["HandlerKit"]),
        .library(name: "PluginKit", targets: ["PluginKit"]),
        .executable(name: "castway-launch", targets: ["castway-launch"]),
        .library(name: "QuizModule", type: .dynamic, targets: ["QuizModule"]),
        .library(name: "WatchPartyModule", type: .dynamic, targets: ["WatchPartyModule"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2"),
    ],
    targets: cLibraries + protocolModules + contracts + features + gateway + control + programs + shippedPlugins
        + moduleTests + systemTests,
    swiftLanguageModes: [.v6]
)

if fuzzes {
    package.targets.append(
        .executableTarget(
            name: "castway-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Runner", swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]))
}

if isMeasured {
    package.products.append(.library(name: "BenchEchoModule", type: .dynamic, targets: ["BenchEchoModule"]))
    package.targets += [
        // What a message costs, in nanoseconds. cast_channel.pb.swift is the tests' own, by a symbolic link.
        .executableTarget(
            name: "CodecBenchmark",
            dependencies: [
                "CPluginModule", "CastWire", "GatewayConfig", "GatewayCore", "GatewayTesting", "NamespaceHandlers",
                "PluginKit", .logging, .nioCore, .nioEmbedded, .swiftProtobuf,
            ], path: "Benchmarks/Codec", swiftSettings: settings),
        program(
            "JournalBenchmark",
            ["CastWire", "GatewayCore", "GatewayJournal", "GatewayOperations", .lifecycle, .logging, .nioCore],
            in: "Benchmarks/journal"),
        // What one hop to a handler costs, beside a process that only copies bytes.
        program(
            "PluginBenchmark",
            ["CastWire", "GatewayConfig", "GatewayCore", "PluginHosting", "PluginKit", .logging, .nioCore, .nioPosix],
            in: "Benchmarks/plugins/driver"),
        .executableTarget(name: "bare-echo", path: "Benchmarks/plugins/bare-echo"),
        program(
            "SocketBenchmark",
            [
                "CastTransport", "CastWire", "ControlAPI", "GatewayJournal", "GatewayOperations", "HTTPServing",
                .logging, .nioCore, .nioPosix,
            ], in: "Benchmarks/sockets/server"),
        module("BenchEcho", ["PluginKit"], in: "Benchmarks/plugins/echo"),
        program("bench-echo", ["BenchEcho", "PluginKit"], in: "Benchmarks/plugins/echo-process"),
        module("BenchEchoModule", ["BenchEcho", "PluginKit"], in: "Benchmarks/plugins/echo-module"),
    ]
}

if isTested {
    for target in package.targets where target.swiftSettings != nil {
        let flags = ["-enable-testing"] + (onMessagePath.contains(target.name) ? [] : ["-Onone"])
        target.swiftSettings?.append(.unsafeFlags(flags, .when(configuration: .release)))
    }
}

if isCompared { package.targets.removeAll { $0.isTest && $0.name != "CastWireTests" } }

if isMeasured || isCompared {
    package.dependencies.append(.package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"))
}
