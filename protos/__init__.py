"""Wire formats: `.proto` sources in a private descriptor pool, dtypes, codecs."""
