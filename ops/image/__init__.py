"""Images: resizing and cropping."""
