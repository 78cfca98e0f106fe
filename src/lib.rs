//! The binding: converts, releases the GIL, maps errors, reports progress. No algorithm.
