"""Fits and splits that curves and selections share."""
