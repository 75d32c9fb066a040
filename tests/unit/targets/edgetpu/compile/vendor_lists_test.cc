// In the vendor's style RESHAPE to a list and joins of lists go over the mesh; small maps hand on
// their borders, and what has one position is made in tile 0.
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

CompiledModel vendor_made(const Model& model) {
  auto made = compile_model(model, darwinn::kCurrentRuntimeVersion, Style::vendor);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  return std::move(*made);
}

Model model_of_lists(Graph graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(std::move(graph));
  return model;
}

// Those of data; parameters go by the second half of the ring.
size_t sent_by_ring(const CompiledModel& made) {
  size_t n = 0;
  for (const Instruction& i : parse(made.partition.groups.at(0).compiled.run.data).instructions) {
    const bool data = i.opcode() == Opcode::ring_send && i.get_or_zero("second") == 0;
    n += data && i.get_or_zero("outfeed") == 0 ? 1 : 0;
  }
  return n;
}

void expect_proven_by_mesh(Graph graph, size_t by_ring = 0) {
  const Model model = model_of_lists(std::move(graph));
  const CompiledModel made = vendor_made(model);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  EXPECT_EQ(sent_by_ring(made), by_ring);
  expect_proven(model, made, 1, true);
}

// Positions of `count` anchors with `each` channels, as one row or as one column.
ValueId list_of(FamilyNetwork& net, ValueId map, int count, int each, bool column) {
  const Shape s = net.shape(map);
  const ValueId all = net.conv(map, count * each, 1, 1, false);
  const int64_t n = s[1] * s[2] * count;
  return column ? net.reshape(all, {1, n, 1, each}) : net.reshape(all, {1, n, each});
}

TEST(EdgetpuVendorLists, MapsOfAllSizesBecomeLists) {
  for (const int side : {2, 3, 4, 5, 7, 10, 19}) {
    for (const bool column : {false, true}) {
      SCOPED_TRACE(std::to_string(side) + (column ? ", a column" : ", a row"));
      FamilyNetwork net(Trained::uint8);
      const ValueId map = net.conv(net.input(side, side, 16), 16);
      expect_proven_by_mesh(net.ends(
          {net.join_along(1, {list_of(net, map, 3, 4, column), list_of(net, map, 2, 4, column)})}));
    }
  }
}

TEST(EdgetpuVendorLists, RowsAndColumnsOfOtherNumbers) {
  for (const auto& [rows, columns] : {std::pair{2, 9}, {9, 2}, {3, 17}, {6, 1}, {1, 6}, {13, 5}}) {
    for (const bool column : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) +
                   (column ? ", a column" : ", a row"));
      FamilyNetwork net(Trained::int8);
      const ValueId map = net.conv(net.input(rows, columns, 8), 16);
      const ValueId list = list_of(net, map, 6, 4, column);
      expect_proven_by_mesh(net.ends({net.join_along(1, {list, list_of(net, map, 1, 4, column)})}));
    }
  }
}

// Classes that do not fill words: each position begins a word.
TEST(EdgetpuVendorLists, PositionsWithFiller) {
  FamilyNetwork net(Trained::uint8);
  const ValueId large = net.conv(net.input(9, 9, 8), 16), small = net.conv(large, 24, 3, 2);
  expect_proven_by_mesh(net.ends(
      {net.logistic(net.join_along(
           1, {list_of(net, large, 3, 91, false), list_of(net, small, 6, 91, false)})),
       net.join_along(1, {list_of(net, large, 3, 4, true), list_of(net, small, 6, 4, true)})}));
}

// Windows of three over maps in which tiles have no part, and over two rows of a neighbour.
TEST(EdgetpuVendorLists, SmallMapsHandOnTheirBorders) {
  for (const int side : {3, 5, 6, 7}) {
    for (const int stride : {1, 2}) {
      SCOPED_TRACE(std::to_string(side) + ", stride " + std::to_string(stride));
      FamilyNetwork net(Trained::uint8);
      const ValueId map = net.conv(net.input(side, side, 8), 20);
      expect_proven_by_mesh(net.ends({net.conv(map, 12, 3, stride)}));
    }
  }
}

// The picture comes to tile 0 by the ring, from three tiles; what it makes goes to a list, too.
TEST(EdgetpuVendorLists, OnePositionIsMadeInTheFirstTile) {
  FamilyNetwork net(Trained::uint8);
  const ValueId map = net.conv(net.input(4, 4, 8), 64, 3, 2);
  expect_proven_by_mesh(net.ends({net.conv(map, 128, 3, 2)}), 3);
}

// As heads of detectors end: the dense layer takes its position by the ring.
TEST(EdgetpuVendorLists, OnePositionBecomesAList) {
  for (const bool column : {false, true}) {
    SCOPED_TRACE(column);
    FamilyNetwork net(Trained::uint8);
    const ValueId map = net.conv(net.input(4, 4, 8), 64, 3, 2);
    const ValueId last = net.conv(net.conv(map, 64), 128, 3, 2);
    expect_proven_by_mesh(net.ends({net.join_along(1, {list_of(net, map, 6, 91, column),
                                                       list_of(net, last, 6, 91, column)})}),
                          4);
  }
}

// No tile has room for all positions: the ring brings them to their tiles.
TEST(EdgetpuVendorLists, ALargeListGoesByTheRing) {
  FamilyNetwork net(Trained::uint8);
  const ValueId map = net.conv(net.input(30, 30, 8), 16);
  const Model model = model_of_lists(net.ends(
      {net.join_along(1, {list_of(net, map, 6, 64, false), list_of(net, map, 1, 64, false)})}));
  const CompiledModel made = vendor_made(model);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  EXPECT_GT(sent_by_ring(made), 0u);
  expect_proven(model, made, 1, true);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
