"""Values and differences estimated from incomplete judgments. Input: arrays of values; output: estimates and errors."""
