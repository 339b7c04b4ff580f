"""Pallas kernels in Python: the Blackwell tutorial's seven (`tutorial`), and pairs of a right kernel and a broken twin (`pairs`)."""
