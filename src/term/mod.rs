//! The `term` layer.
