/// Someone who wants to know that nobody reads a link any more.
protocol LinkObserver: AnyObject, Sendable {
  func linkClosed()
}
