"""Images in files: JPEG, PNG, GIF and BMP, decoded and encoded."""
