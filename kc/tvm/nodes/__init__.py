"""TVM's classes of expressions, statements, operations and objects, and their visitors."""
