/// The command line.
struct Options {
  var filter: String?
  var rounds = 5
  var quick = false
  var full = false
  var json = false
  var check = false
  var list = false
  var help = false

  static let helpText = """
    Measures the dataflow core beside a plain loop and the standard library's AsyncStream and async operators.

    usage: WeirBenchmarks [NAME] [options]
      NAME            the same as --filter NAME; `radio` prints the radio's gates as a table
      --filter NAME   only families whose name, or cases whose name, contains NAME (with what they are compared to)
      --rounds N      rounds of each case; the median counts (default 5)
      --quick         a tenth of the elements and one round: to see that everything works
      --full          2 million stored facts and 10 million ids where a family has such a size (takes minutes)
      --check         exit with 1 if a figure is worse than its stored threshold three times in a row, and name it
      --json          machine-readable output
      --list          names of families and cases
      --help          this text

    Only ratios within one run mean anything: the speed of a shared machine changes by the minute. Build with
    `swift build -c release`.
    """

  init(_ arguments: some Sequence<String>) throws(BenchmarkError) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      switch option {
      case "--filter":
        guard let value = rest.popFirst(), !value.isEmpty else { throw .badValue(option: option) }
        filter = value
      case "--rounds":
        guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { throw .badValue(option: option) }
        rounds = value
      case "--quick": quick = true
      case "--full": full = true
      case "--check": check = true
      case "--json": json = true
      case "--list": list = true
      case "--help", "-h": help = true
      case _ where !option.hasPrefix("-") && filter == nil: filter = option
      default: throw .unknownOption(option)
      }
    }
    if quick { rounds = 1 }
  }
}
