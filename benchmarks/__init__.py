"""What Dalenius costs: time, memory and accuracy at size. `python -m benchmarks`, or `make bench`."""
