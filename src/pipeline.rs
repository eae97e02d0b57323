//! Joins the stages in order; no algorithm of its own.
