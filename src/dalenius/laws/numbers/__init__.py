"""Numbers of unlimited range: non-negative, with the roundings behind them counted."""
