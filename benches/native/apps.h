// The mesh of the Apps kernels, as rajaperf's kernels/apps/domain.rs has it: a
// square or a cube of real zones in layers of others, two of nodes before it
// and one behind in each dimension; a zone has the number of its lowest node.
#pragma once
#include "native.h"

struct Domain {
	Index side; // real zones
	Index dims;
	Index nodes; // of a side, those around included
	Index jp, kp;
	static Domain
	square(Index size)
	{
		Index s = square_side(size);
		return {s, 2, s + 4, s + 4, 0};
	}
	static Domain
	cube(Index size)
	{
		Index s = cube_side(size);
		return {s, 3, s + 4, s + 4, (s + 4) * (s + 4)};
	}
	Index
	length() const
	{
		return dims == 2 ? jp * jp : jp * jp * jp;
	}
	Index
	real_zones() const
	{
		return dims == 2 ? side * side : side * side * side;
	}
	Index
	real_nodes() const
	{
		Index n = side + 1;
		return dims == 2 ? n * n : n * n * n;
	}
	Index
	first_zone() const
	{
		return 1 + jp + kp;
	}
	Index
	end_zone() const
	{
		return (2 + side) * (1 + jp + kp) + 1;
	}
	std::vector<Index>
	zone_list() const
	{
		std::vector<Index> v;
		Index planes = dims == 2 ? 1 : side;
		for (Index z = 0; z < planes; z++)
			for (Index y = 2; y < 2 + side; y++)
				for (Index x = 2; x < 2 + side; x++)
					v.push_back(x + y * jp + (z + 2) * kp);
		return v;
	}
	// Along an axis (0 is the fastest) where each node lies.
	Array
	positions(int axis, double distance) const
	{
		Array v(length());
		Index step = axis == 0 ? 1 : axis == 1 ? nodes : nodes * nodes;
		for (Index i = 0; i < (Index)v.size(); i++)
			v[i] = i / step % nodes * distance;
		return v;
	}
};

// The eight nodes of each zone of a field.
struct Corners {
	In v0, v1, v2, v3, v4, v5, v6, v7;
};

static inline Corners
corners(const double *v, const Domain &d)
{
	return {v,	  v + 1,	v + d.jp,	 v + 1 + d.jp,
		v + d.kp, v + 1 + d.kp, v + d.jp + d.kp, v + 1 + d.jp + d.kp};
}
