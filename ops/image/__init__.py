"""Resizing, cropping and colours of images."""
