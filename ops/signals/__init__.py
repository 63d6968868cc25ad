"""Signals: Fourier and cosine transforms, framing and windows, spectra, sounds."""
