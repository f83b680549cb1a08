"""Private foundations: checks, random streams, the parallel map, the result base.

No statistics here. Other folders import the files of this one directly; users never do.
"""
