// The data of the Comm kernels: a grid with a halo around it, and for each of
// its 26 neighbours the cells that are sent there and those filled from there.
//
// The suite keeps what is sent in page-locked memory of the host; here it is
// the device's, which is faster.
#pragma once
#include "native.h"

#define NEIGHBOURS 26
#define VARS 3
#define WIDTH 1

struct Halo {
	// Of one direction: all lists, where each begins, and what it holds.
	struct Side {
		std::vector<int> lists;
		std::vector<Index> starts{0};
		Array values;
		Index
		len(int l) const
		{
			return starts[l + 1] - starts[l];
		}
	} sides[2];
	Array vars; // one after the other
	Index cells;

	explicit Halo(Run &r)
	{
		static const int steps[NEIGHBOURS][3] = {
			{-1, 0, 0},  {1, 0, 0},	 {0, -1, 0},   {0, 1, 0},
			{0, 0, -1},  {0, 0, 1},	 {-1, -1, 0},  {-1, 1, 0},
			{1, -1, 0},  {1, 1, 0},	 {-1, 0, -1},  {-1, 0, 1},
			{1, 0, -1},  {1, 0, 1},	 {0, -1, -1},  {0, -1, 1},
			{0, 1, -1},  {0, 1, 1},	 {-1, -1, -1}, {-1, -1, 1},
			{-1, 1, -1}, {-1, 1, 1}, {1, -1, -1},  {1, -1, 1},
			{1, 1, -1},  {1, 1, 1}};
		Index n = cube_side(r.target), whole = n + 2 * WIDTH;
		cells = whole * whole * whole;
		for (auto &step : steps)
			for (int which = 0; which < 2; which++)
				add(sides[which], step, which, n);
		r.init.count += 2 * NEIGHBOURS + VARS;
		for (int v = 0; v < VARS; v++)
			for (Index i = 0; i < cells; i++)
				vars.push_back((double)(i + v));
		for (Side &side : sides)
			side.values = r.init.data(side.lists.size() * VARS);
	}

	// Cells along one direction: sent ones, or those received.
	static void
	range(int step, int received, Index n, Index &from, Index &to)
	{
		from = step == 0  ? WIDTH
		       : step < 0 ? (received ? 0 : WIDTH)
				  : (received ? WIDTH + n : n);
		to = from + (step == 0 ? n : WIDTH);
	}

	static void
	add(Side &side, const int (&step)[3], int received, Index n)
	{
		Index a[3], b[3], whole = n + 2 * WIDTH;
		for (int d = 0; d < 3; d++)
			range(step[d], received, n, a[d], b[d]);
		for (Index z = a[2]; z < b[2]; z++)
			for (Index y = a[1]; y < b[1]; y++)
				for (Index x = a[0]; x < b[0]; x++)
					side.lists.push_back(
						(int)((z * whole + y) * whole +
						      x));
		side.starts.push_back((Index)side.lists.size());
	}

	// What the suite sums up: each variable, and what was packed for each
	// neighbour.
	void
	sum(Run &r, const Buffer &vars, const Buffer &packed) const
	{
		Array v = vars.host(), p = packed.host();
		for (int i = 0; i < VARS; i++)
			r.sum(&v[i * cells], cells);
		for (int l = 0; l < NEIGHBOURS; l++)
			r.sum(&p[VARS * sides[0].starts[l]],
			      VARS * sides[0].len(l));
	}

	static Shape
	shape(Index target, int kernels)
	{
		Index n = cube_side(target), whole = n + 2 * WIDTH;
		double moved =
			(double)VARS * (whole * whole * whole - n * n * n);
		return {n * n * n, kernels, 40 * moved, 0};
	}
};
