"""Runs that are killed, workers that die, disks that fill up: nothing finished is lost, doubled or changed.

`make faults` runs as many as asked; `test_faults.py` a few of each kind in CI.
"""
