//! The `verify` layer.
