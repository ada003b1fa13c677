extension MessageContent {
  /// A picture.
  public struct Picture: Sendable, Equatable {
    /// The original.
    public var source: Image
    /// The reduced one to show.
    public var big: Image
    /// The thumbnail.
    public var snapshot: Image

    /// A picture of its renditions.
    public init(source: Image, big: Image = Image(), snapshot: Image = Image()) {
      self.source = source
      self.big = big
      self.snapshot = snapshot
    }
  }

  /// One rendition of a picture.
  public struct Image: Sendable, Equatable {
    /// Where to load it from.
    public var url: String
    /// Media type or file extension, as the sender named it.
    public var type: String
    /// Bytes.
    public var size: Int64
    /// Pixels.
    public var width: Int64
    /// Pixels.
    public var height: Int64

    /// A rendition of its parts.
    public init(url: String = "", type: String = "", size: Int64 = 0, width: Int64 = 0, height: Int64 = 0) {
      self.url = url
      self.type = type
      self.size = size
      self.width = width
      self.height = height
    }
  }

  /// A voice message.
  public struct Sound: Sendable, Equatable {
    /// Where to load it from.
    public var url: String
    /// Media type or file extension, as the sender named it.
    public var type: String
    /// Bytes.
    public var size: Int64
    /// Seconds.
    public var duration: Int64

    /// A voice message of its parts.
    public init(url: String, type: String = "", size: Int64 = 0, duration: Int64 = 0) {
      self.url = url
      self.type = type
      self.size = size
      self.duration = duration
    }
  }

  /// A video.
  public struct Video: Sendable, Equatable {
    /// Where to load it from.
    public var url: String
    /// Media type or file extension, as the sender named it.
    public var type: String
    /// Bytes.
    public var size: Int64
    /// Seconds.
    public var duration: Int64
    /// A still to show before it plays.
    public var snapshot: Image

    /// A video of its parts.
    public init(url: String, type: String = "", size: Int64 = 0, duration: Int64 = 0, snapshot: Image = Image()) {
      self.url = url
      self.type = type
      self.size = size
      self.duration = duration
      self.snapshot = snapshot
    }
  }

  /// A file.
  public struct File: Sendable, Equatable {
    /// Where to load it from.
    public var url: String
    /// The name to show. It comes from the sender: never use it as a path.
    public var name: String
    /// Media type or file extension, as the sender named it.
    public var type: String
    /// Bytes.
    public var size: Int64

    /// A file of its parts.
    public init(url: String, name: String, type: String = "", size: Int64 = 0) {
      self.url = url
      self.name = name
      self.type = type
      self.size = size
    }
  }
}
