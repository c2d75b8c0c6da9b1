#pragma once
// A closed mesh.

namespace torsor::test {

// A tetrahedron with corners 0, (1, 0, 0), (0, 2, 0), (0, 0, 3).
inline constexpr const char* tetrahedron_stl = R"(solid t
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 2 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 3
endloop
endfacet
facet normal -1 0 0
outer loop
vertex 0 0 0
vertex 0 0 3
vertex 0 2 0
endloop
endfacet
facet normal 6 3 2
outer loop
vertex 1 0 0
vertex 0 2 0
vertex 0 0 3
endloop
endfacet
endsolid t
)";

}  // namespace torsor::test
