//! The `sim` layer.
