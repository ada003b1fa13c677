/// The names under which the seed's 1.0.0 knows these, so that code written for it compiles.
public typealias XTalkFileTransferManager = FileTransferManager
/// See ``FileTransferSendRequest``.
public typealias XTalkFileTransferSendRequest = FileTransferSendRequest
/// See ``FileTransferResult``.
public typealias XTalkFileTransferResult = FileTransferResult
/// See ``FileTransferError``.
public typealias XTalkFileTransferError = FileTransferError
/// See ``FileTransferEvent``.
public typealias XTalkFileTransferEvent = FileTransferEvent
