"""Fourier transforms, frames, spectra, WAV files."""
