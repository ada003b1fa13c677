// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "weir",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Weir", targets: ["Weir"]),
    .library(name: "WeirTesting", targets: ["WeirTesting"]),
    .library(name: "WeirStore", targets: ["WeirStore"]),
    .library(name: "WeirHistory", targets: ["WeirHistory"]),
    .library(name: "WeirChat", targets: ["WeirChat"]),
    .library(name: "WeirRadio", targets: ["WeirRadio"]),
    .library(name: "WeirChunks", targets: ["WeirChunks"]),
    .library(name: "WeirTrace", targets: ["WeirTrace"]),
    .executable(name: "weir", targets: ["WeirCommand"]),
  ],
  targets: [
    .systemLibrary(name: "CAllocator"),
    .systemLibrary(name: "CPseudoTerminal"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    .target(
      name: "Weir",
      exclude: [
        "Graph/README.md", "Links/README.md", "Run/README.md", "Stages/README.md", "Time/README.md",
        "Tracing/README.md",
      ]),
    .target(name: "WeirTesting", dependencies: ["Weir"], exclude: ["README.md"]),
    .target(name: "WeirStore", dependencies: ["Weir", "CSQLite"], exclude: ["README.md"]),
    .target(
      name: "WeirHistory", dependencies: ["Weir", "WeirStore"], exclude: ["README.md", "Tracker/README.md"]),
    .target(
      name: "WeirChat", dependencies: ["Weir", "WeirStore"],
      exclude: [
        "Decode/README.md", "Ingest/README.md", "Model/README.md", "Hooks/README.md", "Projection/README.md",
        "Graph/README.md", "Events/README.md", "Search/README.md",
      ]),
    .target(name: "WeirTrace", dependencies: ["Weir"], exclude: ["README.md"]),
    .target(name: "WeirChunks", dependencies: ["Weir", "CZstd"], exclude: ["README.md"]),
    .executableTarget(name: "DictionaryMaker", dependencies: ["WeirChunks"], exclude: ["Corpus"]),
    .target(
      name: "WeirRadio", dependencies: ["Weir", "WeirChunks", "CPseudoTerminal"],
      exclude: [
        "README.md", "Modem/README.md", "Ports/README.md", "Simulator/README.md", "Transfer/README.md",
        "Transfer/Wire/README.md",
      ]),
    .target(
      name: "WeirCommandKit",
      dependencies: [
        "Weir", "WeirStore", "WeirHistory", "WeirChat", "WeirRadio", "WeirTrace", "CZstd",
      ],
      exclude: ["README.md"]),
    .executableTarget(name: "WeirCommand", dependencies: ["WeirCommandKit"]),
    .executableTarget(
      name: "WeirBenchmarks",
      dependencies: [
        "Weir", "WeirStore", "WeirHistory", "WeirChat", "WeirChunks", "WeirRadio", "WeirTesting", "CSQLite", "CZstd",
        "CAllocator",
      ],
      exclude: ["README.md"]),

    .executableTarget(name: "QuickStart", dependencies: ["Weir"], path: "Examples/QuickStart"),
    .target(name: "CustomStages", dependencies: ["Weir"], path: "Examples/CustomStage/Stages"),
    .executableTarget(
      name: "CustomStage", dependencies: ["Weir", "WeirTesting", "CustomStages"], path: "Examples/CustomStage/Program"),
    .target(
      name: "AppAndExtensionStore", dependencies: ["WeirStore", "WeirHistory"], path: "Examples/AppAndExtension/Store"),
    .executableTarget(
      name: "ChatApp", dependencies: ["AppAndExtensionStore", "Weir", "WeirStore", "WeirHistory", "WeirTrace"],
      path: "Examples/AppAndExtension/App"),
    .executableTarget(
      name: "ShareExtension", dependencies: ["AppAndExtensionStore", "WeirHistory"],
      path: "Examples/AppAndExtension/Extension"),
    .executableTarget(
      name: "RadioChat", dependencies: ["Weir", "WeirRadio", "WeirChunks", "WeirTrace"], path: "Examples/RadioChat"),
    .target(
      name: "InboxScreen", dependencies: ["WeirChat", "WeirStore", "WeirCommandKit"],
      path: "Examples/InboxBrowser/Screen"),
    .executableTarget(
      name: "InboxBrowser", dependencies: ["Weir", "WeirChat", "WeirStore", "WeirCommandKit", "InboxScreen"],
      path: "Examples/InboxBrowser/Program"),

    .target(name: "ChatFixtures", dependencies: ["WeirChat"], path: "Tests/ChatFixtures"),
    .executableTarget(
      name: "StoreKillProbe", dependencies: ["WeirChat", "ChatFixtures"], path: "Tests/StoreKillProbe"),
    .testTarget(name: "WeirTests", dependencies: ["Weir", "WeirTesting"]),
    .testTarget(name: "WeirBenchmarksTests", dependencies: ["WeirBenchmarks"]),
    .testTarget(name: "WeirTraceTests", dependencies: ["WeirTrace", "Weir", "WeirTesting"]),
    .testTarget(name: "WeirTestingTests", dependencies: ["WeirTesting"]),
    .testTarget(name: "WeirStoreTests", dependencies: ["WeirStore", "CSQLite"]),
    .executableTarget(name: "HistoryProbe", dependencies: ["WeirHistory", "WeirStore"], path: "Tests/HistoryProbe"),
    .testTarget(
      name: "WeirHistoryTests", dependencies: ["WeirHistory", "WeirStore", "Weir", "WeirTesting", "HistoryProbe"],
      exclude: ["CONTRACT.md"]),
    .testTarget(
      name: "WeirChatTests", dependencies: ["WeirChat", "WeirTesting", "ChatFixtures", "StoreKillProbe"],
      exclude: ["Fixtures"]),
    .testTarget(name: "WeirRadioTests", dependencies: ["WeirRadio", "Weir", "WeirTesting"]),
    .testTarget(name: "WeirChunksTests", dependencies: ["WeirChunks", "Weir", "WeirTesting", "CZstd", "CAllocator"]),
    .testTarget(
      name: "InboxBrowserTests", dependencies: ["InboxScreen", "InboxBrowser", "WeirChat", "WeirCommandKit"]),
    .testTarget(
      name: "WeirCommandKitTests",
      dependencies: [
        "WeirCommandKit", "WeirCommand", "Weir", "WeirChat", "WeirStore", "WeirHistory", "WeirRadio",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
