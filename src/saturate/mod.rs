//! The `saturate` layer.
