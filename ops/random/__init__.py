"""Random numbers from several distributions, and the generators behind them."""
