"""A package, so that no installed package called tests is found in its place."""
