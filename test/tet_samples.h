// Files of tetrahedra as other programs write them, for tests and fuzzing.
#ifndef SN_TEST_TET_SAMPLES_H
#define SN_TEST_TET_SAMPLES_H

#include <stddef.h>

static const char gmsh_2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a b\"\n$EndPhysicalNames\n"
                             "$Nodes\n4\n10 0 0 0\n7 1 0 0\n30 0 1 0\n4 0 0 1\n$EndNodes\n"
                             "$Elements\n2\n1 2 2 0 1 10 7 30\n2 4 2 0 1 10 7 30 4\n$EndElements\n";
static const char gmsh_41[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
    "$Nodes\n2 4 1 4\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n3 1 0 1\n4\n0 0 1\n$EndNodes\n"
    "$Elements\n2 2 1 2\n2 1 2 1\n1 1 2 3\n3 1 4 1\n2 1 2 3 4\n$EndElements\n";
static const char gmsh_40[] = "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Nodes\n1 4\n1 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
                              "4 0 0 1\n$EndNodes\n$Elements\n1 1\n1 3 4 1\n1 1 2 3 4\n$EndElements\n";
static const char medit[] =
    "MeshVersionFormatted 1\nDimension 3\n# comment\nVertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n"
    "Triangles\n1\n1 2 3 5\nTetrahedra\n1\n1 2 3 4 7\nEnd\n";
static const char vtk_3[] =
    "# vtk DataFile Version 3.0\na title # with marks\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    "POINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\nCELLS 2 9\n3 0 1 2\n4 0 1 2 3\nCELL_TYPES 2\n5\n10\n"
    "POINT_DATA 4\nSCALARS u float\nLOOKUP_TABLE default\n0 0 0 0\n";
static const char vtk_5[] =
    "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
    "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 3 7\nOFFSETS vtktypeint64\n0 3 7\nCONNECTIVITY vtktypeint64\n"
    "0 1 2 0 1 2 3\nCELL_TYPES 2\n5\n10\n";
static const char node_0[] = "# from 0\n4 3 1 1\n0 0 0 0 9 1\n1 1 0 0 9 1\n2 0 1 0 9 1\n3 0 0 1 9 1\n";
static const char ele_0[] = "1 4 1\n0 0 1 2 3 5\n# end\n";
static const char node_1[] = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
static const char ele_1[] = "1 4 0\n1 1 2 4 3\n"; // inside out

// What is in it: one tetrahedron of volume 1/6 in each.
typedef struct {
    const char *name, *text, *elements; // elements: of TetGen's second file
    int skipped, turned;
} tet_sample;

static const tet_sample tet_samples[] = {{"x.msh", gmsh_2, NULL, 1, 0},   {"x.msh", gmsh_41, NULL, 1, 0},
                                         {"x.msh", gmsh_40, NULL, 0, 0},  {"x.mesh", medit, NULL, 1, 0},
                                         {"x.vtk", vtk_3, NULL, 1, 0},    {"x.vtk", vtk_5, NULL, 1, 0},
                                         {"x.node", node_0, ele_0, 0, 0}, {"x.node", node_1, ele_1, 0, 1}};
enum { TET_SAMPLES = sizeof tet_samples / sizeof *tet_samples };

#endif
