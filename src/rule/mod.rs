//! The `rule` layer.
