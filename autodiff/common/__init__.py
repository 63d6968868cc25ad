"""Helpers of gradient rules."""
