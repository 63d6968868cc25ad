"""PNG, JPEG, GIF and BMP files."""
