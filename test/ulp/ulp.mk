# The errors of math functions, measured; docs/math.md is written from them.
ulp: all sim
	test/ulp/measure
.PHONY: ulp
