//! The `syntax` layer.
