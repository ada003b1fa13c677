extension ElementDecoder {
  func picture(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Picture {
    var picture = MessageContent.Picture(source: .init())
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "sourcePicture": picture.source = try image(&reader)
      case "bigPicture": picture.big = try image(&reader)
      case "snapshotPicture": picture.snapshot = try image(&reader)
      default: try reader.skipValue()
      }
    }
    return picture
  }

  private func image(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Image {
    var image = MessageContent.Image()
    if try reader.skipNull() { return image }
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "url": image.url = try reader.string()
      case "type": image.type = try reader.string()
      case "size": image.size = try reader.int64()
      case "width": image.width = try reader.int64()
      case "height": image.height = try reader.int64()
      default: try reader.skipValue()
      }
    }
    return image
  }

  func sound(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Sound {
    var sound = MessageContent.Sound(url: "")
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "sourceUrl": sound.url = try reader.string()
      case "soundType": sound.type = try reader.string()
      case "dataSize": sound.size = try reader.int64()
      case "duration": sound.duration = try reader.int64()
      default: try reader.skipValue()
      }
    }
    return sound
  }

  func video(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Video {
    var video = MessageContent.Video(url: "")
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "videoUrl": video.url = try reader.string()
      case "videoType": video.type = try reader.string()
      case "videoSize": video.size = try reader.int64()
      case "duration": video.duration = try reader.int64()
      case "snapshotUrl": video.snapshot.url = try reader.string()
      case "snapshotType": video.snapshot.type = try reader.string()
      case "snapshotSize": video.snapshot.size = try reader.int64()
      case "snapshotWidth": video.snapshot.width = try reader.int64()
      case "snapshotHeight": video.snapshot.height = try reader.int64()
      default: try reader.skipValue()
      }
    }
    return video
  }

  func file(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.File {
    var file = MessageContent.File(url: "", name: "")
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "sourceUrl": file.url = try reader.string()
      case "fileName": file.name = try reader.string()
      case "fileType": file.type = try reader.string()
      case "fileSize": file.size = try reader.int64()
      default: try reader.skipValue()
      }
    }
    return file
  }
}
