"""Bounding boxes: suppression, drawing, random crops."""
