// Authors import PluginKit alone: messages and JSON come with it.
@_exported public import CastWire
