//! The `extract` layer.
