"""`td.distributions`."""
