// Plugins import PluginKit alone: messages, JSON and the vocabulary of verdicts come with it.
@_exported public import CastWire
@_exported public import HandlerKit
