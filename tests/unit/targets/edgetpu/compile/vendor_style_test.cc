// Programs written as the vendor's compiler writes them: other order, other waits, other places,
// the same results.
#include <cstdlib>

#include "targets/edgetpu/synthesize/synthesize.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

CompiledModel in_style(const Model& model, Style style) {
  auto made = compile_model(model, darwinn::kCurrentRuntimeVersion, style);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  return std::move(*made);
}

Model one_graph(Graph graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(std::move(graph));
  return model;
}

// EDGETWIN_RANDOM_NETWORKS: how many.
TEST(EdgetpuVendorStyle, RandomNetworksPassTheirProof) {
  const char* given = std::getenv("EDGETWIN_RANDOM_NETWORKS");
  const auto count = given == nullptr ? 8U : static_cast<uint32_t>(std::max(8, std::atoi(given)));
  size_t programs = 0;
  for (uint32_t seed = 30; seed < 30 + count; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = one_graph(RandomNetwork(seed).any());
    const CompiledModel made = in_style(model, Style::vendor);
    if (made.partition.groups.empty()) continue;
    expect_proven(model, made, 1, true);
    ++programs;
  }
  EXPECT_GE(programs, 4u);
}

size_t transfers_of(const CompiledModel& made) {
  size_t n = 0;
  for (const Instruction& i : parse(made.partition.groups[0].compiled.run.data).instructions) {
    n += i.opcode() == Opcode::ring_send ? 1 : 0;
  }
  return n;
}

// Every tile computes its own values where their number is no multiple of four; numbers of tiles,
// of words of the last tile, and of values of the last word.
TEST(EdgetpuVendorStyle, SoftmaxOverTheTiles) {
  for (const int outputs :
       {65, 66, 67, 69, 93, 127, 130, 191, 255, 257, 321, 515, 998, 1001, 1023}) {
    SCOPED_TRACE(outputs);
    RandomNetwork net(static_cast<uint32_t>(outputs));
    const ValueId scores = net.dense(net.input(4, 4, 4), outputs);
    ValueId at = net.softmax(scores, outputs % 2 == 0 ? 1.0F : 0.5F);
    if (outputs == 130) at = net.softmax(net.dense(at, 70));
    const Model model = one_graph(net.finish(at));
    const CompiledModel made = in_style(model, Style::vendor);
    expect_proven(model, made, 1, true);
    const size_t tiles = (static_cast<size_t>(outputs) + 63) / 64;
    // To one, to all twice, exponentials to all; an odd number's last one.
    EXPECT_GE(transfers_of(made), (tiles - 1) * (3 + tiles + (outputs % 2 == 0 ? 0 : 1)));
  }
}

// Other numbers of values are computed by each tile as in own programs.
TEST(EdgetpuVendorStyle, SoftmaxOfWholeWordsStays) {
  for (const int outputs : {3, 64, 68, 1000}) {
    RandomNetwork net(static_cast<uint32_t>(outputs));
    const Model model = one_graph(net.finish(net.softmax(net.dense(net.input(4, 4, 4), outputs))));
    const CompiledModel made = in_style(model, Style::vendor);
    expect_proven(model, made, 1, true);
    EXPECT_LT(transfers_of(made), 40u) << outputs;
  }
}

// What is announced to the driver is in the order in which it is issued: a picture leaves as soon
// as it is there, the weights of a layer after it come from the host.
TEST(EdgetpuVendorStyle, AnOutputLeavesBeforeParametersCome) {
  RandomNetwork net(12);
  const ValueId picture = net.window(net.input(8, 8, 16), 64, 3, 1, 1, true, false);
  const ValueId first = net.dense(picture, 2048), second = net.dense(first, 512);
  Graph graph = net.finish(second);
  graph.outputs = {picture, second};
  const Model model = one_graph(std::move(graph));
  const CompiledModel made = in_style(model, Style::vendor);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  EXPECT_GT(made.partition.groups[0].compiled.streamed_bytes, 0);
  ASSERT_EQ(made.partition.groups[0].compiled.streamed_before.size(), 2u);
  EXPECT_EQ(made.partition.groups[0].compiled.streamed_before[0], 0);
  expect_proven(model, made, 1, true);
}

size_t restarts_of(const CompiledModel& made) {
  size_t n = 0;
  for (const Instruction& i : parse(made.partition.groups[0].compiled.run.data).instructions) {
    if (i.opcode() != Opcode::tile_sync) continue;
    n += i.get(*find_field(Opcode::tile_sync, "set")) != 0 ? 1 : 0;
  }
  return n;
}

// Counters go on from layer to layer where all tiles count the same.
TEST(EdgetpuVendorStyle, AChainOfLayersCountsOn) {
  RandomNetwork net(3);
  ValueId at = net.input(32, 32, 3);
  for (int k = 0; k < 4; ++k) at = net.window(at, 16, 3, 1, 1, true, k % 2 == 1);
  const Model model = one_graph(net.finish(at));
  const CompiledModel own = in_style(model, Style::own), vendor = in_style(model, Style::vendor);
  expect_proven(model, vendor);
  ASSERT_EQ(own.partition.groups.size(), 1u);
  ASSERT_EQ(vendor.partition.groups.size(), 1u);
  EXPECT_LT(restarts_of(vendor), restarts_of(own));
}

// Words that go over the mesh from tile to tile, by way of others.
size_t passing_moves(const CompiledModel& made) {
  size_t n = 0;
  for (const Instruction& i : parse(made.partition.groups.at(0).compiled.run.data).instructions) {
    n += i.get_or_zero("counts.out") != 0 && decode_copy(i) ? 1 : 0;
  }
  return n;
}

void expect_by_mesh(Graph graph) {
  const Model model = one_graph(std::move(graph));
  const CompiledModel made = in_style(model, Style::vendor);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  bool bands = false;
  for (const PlannedOp& op : made.partition.groups[0].compiled.ops) {
    bands = bands || op.template_name.find("bands") != std::string::npos;
  }
  EXPECT_TRUE(bands);
  EXPECT_GT(passing_moves(made), 0u);
  expect_proven(model, made, 1, true);
}

// Rectangles of a picture that the host gives, which rests in wide memory.
TEST(EdgetpuVendorStyle, BandsOfThePicture) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.deep(net.conv(net.input(250, 230, 3), 24, 3, 2), 3, 1);
  expect_by_mesh(net.ends({net.conv(net.deep(net.conv(at, 256), 3, 2), 8)}));
}

// Rectangles of a tensor that a sum after them takes, too: it is brought from one split to the
// other.
TEST(EdgetpuVendorStyle, BandsOfAResidualBlock) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(256, 256, 3), 16, 3, 2);
  const ValueId branch = net.conv(net.deep(net.conv(at, 128), 3, 1), 16, 1, 1, false);
  expect_by_mesh(net.ends({net.conv(net.sum(at, branch), 8)}));
}

// What a pool over the picture sums comes over the mesh: one block of channels and several, a last
// block that is not whole, more than a row of tiles has, more than all tiles have at a time; parts
// of the picture that differ, and tiles that have none.
TEST(EdgetpuVendorStyle, APoolOverThePictureIsGatheredByTheMesh) {
  struct Picture {
    int rows, columns, channels;
  };
  for (const Picture& of :
       {Picture{4, 4, 64}, Picture{5, 7, 160}, Picture{6, 6, 320}, Picture{3, 9, 600},
        Picture{7, 5, 24}, Picture{2, 3, 1100}, Picture{9, 9, 512}, Picture{12, 10, 70}}) {
    SCOPED_TRACE(std::to_string(of.rows) + " x " + std::to_string(of.columns) + " of " +
                 std::to_string(of.channels));
    FamilyNetwork net(Trained::int8);
    const ValueId at = net.conv(net.input(of.rows, of.columns, 8), of.channels);
    const Model model = one_graph(net.ends({net.mean(at, {1, 2})}));
    const CompiledModel made = in_style(model, Style::vendor);
    ASSERT_EQ(made.partition.groups.size(), 1u);
    EXPECT_GT(passing_moves(made), 0u);
    expect_proven(model, made, 1, true);
  }
}

// The compiler before the newest one counts in senders and receivers, too.
TEST(EdgetpuVendorStyle, BandsOfTheCompilerBefore) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.deep(net.conv(net.input(250, 230, 3), 24, 3, 2), 3, 1);
  const Model model = one_graph(net.ends({net.conv(net.deep(net.conv(at, 256), 3, 2), 8)}));
  const CompiledModel newest = in_style(model, Style::vendor);
  const CompiledModel before = in_style(model, Style::vendor_17);
  EXPECT_GT(passing_moves(before), passing_moves(newest));
  expect_proven(model, before, 1, true);
}

size_t instructions_of(const CompiledModel& made, Opcode opcode, FieldName field, uint64_t number) {
  size_t n = 0;
  for (const Instruction& i : parse(made.partition.groups.at(0).compiled.run.data).instructions) {
    n += i.opcode() == opcode && i.get_or_zero(field) == number ? 1 : 0;
  }
  return n;
}

// Convolutions write to their places in a join, and each output leaves before the next one is made.
TEST(EdgetpuVendorStyle, HeadsOfOneTensor) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(32, 32, 4), 16, 3, 2);
  const ValueId a = net.conv(at, 8, 1, 1, false), b = net.conv(at, 12, 1, 1, false);
  const ValueId join = net.join_along(3, {b, a}, true);
  const Model model = one_graph(net.ends({join, net.conv(at, 5), net.conv(at, 6)}));
  const CompiledModel own = in_style(model, Style::own), made = in_style(model, Style::vendor);
  const auto copies = [](const CompiledModel& m) {
    return instructions_of(m, Opcode::tensor, "kind", 0x30);
  };
  EXPECT_EQ(copies(made) + 2, copies(own));  // those of the input stay
  expect_proven(model, made, 1, true);
}

// Parts of an odd number of words follow each other without gaps: by the scalar core's memory, all
// at once and in pieces, of which a few words go to the next one, beside an output that does not.
TEST(EdgetpuVendorStyle, OutputsOfAnOddNumberOfWords) {
  struct Output {
    int size, channels, pieces;
  };
  for (const Output& of : {Output{5, 3, 1}, Output{33, 17, 2}, Output{33, 34, 3}, Output{8, 1, 1},
                           Output{9, 9, 1}, Output{30, 20, 2}}) {
    SCOPED_TRACE(std::to_string(of.size) + " of " + std::to_string(of.channels));
    FamilyNetwork net(Trained::int8);
    const ValueId at = net.conv(net.input(of.size, of.size, 4), 16, 3, 1);
    const Model model =
        one_graph(net.ends({net.conv(at, of.channels, 1, 1, false), net.conv(at, 8, 1, 1, false)}));
    const CompiledModel made = in_style(model, Style::vendor);
    ASSERT_EQ(made.partition.groups.size(), 1u);
    size_t loops = 0;
    for (const Instruction& i : parse(made.partition.groups[0].compiled.run.data).instructions) {
      loops += i.opcode() == Opcode::loop ? 1 : 0;
    }
    const bool odd = of.size != 8;
    EXPECT_EQ(loops != 0, odd);
    const HostTensor& output = made.partition.groups[0].compiled.outputs[0];
    EXPECT_EQ(output.parts.size(), odd ? static_cast<size_t>(of.pieces) : 0u);
    expect_proven(model, made, 1, true);
  }
}

// Its parameters go the way of those of depthwise layers.
TEST(EdgetpuVendorStyle, AConvolutionOfOneOutput) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(32, 32, 4), 16, 3, 2);
  const Model model = one_graph(net.ends({net.conv(at, 1)}));
  const CompiledModel own = in_style(model, Style::own), made = in_style(model, Style::vendor);
  EXPECT_EQ(instructions_of(own, Opcode::param, "kind", 2), 0u);
  EXPECT_EQ(instructions_of(made, Opcode::param, "kind", 2), 1u);
  expect_proven(model, made, 1, true);
}

// What is filled for the constants of a sum counts as what came: its border waits for more.
TEST(EdgetpuVendorStyle, SumsWithBorders) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(32, 32, 4), 16, 3, 2);
  const ValueId sum = net.sum(at, net.conv(at, 16, 1, 1, false));
  const Model model = one_graph(net.ends({net.deep(net.sum(sum, net.conv(sum, 16)), 3, 1)}));
  const CompiledModel made = in_style(model, Style::vendor);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  expect_proven(model, made, 1, true);
}

// Each tile gets the channels that it sums.
TEST(EdgetpuVendorStyle, PoolsOverThePicture) {
  for (const int size : {9, 12}) {
    SCOPED_TRACE(size);
    FamilyNetwork net(Trained::int8);
    const ValueId at = net.conv(net.input(size, size, 4), 160);
    const Model model =
        one_graph(net.ends({net.conv(at, 8), net.conv(net.mean(at, {1, 2}, true), 8)}));
    const CompiledModel made = in_style(model, Style::vendor);
    ASSERT_EQ(made.partition.groups.size(), 1u);
    expect_proven(model, made, 1, true);
  }
}

TEST(EdgetpuVendorStyle, FullyConnectedLayersOfAnySize) {
  constexpr std::pair<int, int> kSizes[] = {{20, 5}, {256, 300}, {512, 64}, {700, 70}, {256, 1100}};
  for (const auto& [inputs, outputs] : kSizes) {
    SCOPED_TRACE(std::to_string(inputs) + " to " + std::to_string(outputs));
    RandomNetwork net(static_cast<uint32_t>(inputs + outputs));
    const Model model = one_graph(net.finish(net.dense(net.input_of({1, inputs}), outputs)));
    const CompiledModel made = in_style(model, Style::vendor);
    ASSERT_EQ(made.partition.groups.size(), 1u);
    expect_proven(model, made, 1, true);
  }
}

// Two layers read one input: both need all of it, in all of their tiles.
TEST(EdgetpuVendorStyle, AnInputThatTwoLayersRead) {
  RandomNetwork net(8);
  const ValueId in = net.input_of({1, 256});
  const Model model = one_graph(net.finish(net.sum(net.dense(in, 70), net.dense(in, 70))));
  const CompiledModel made = in_style(model, Style::vendor);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  expect_proven(model, made, 1, true);
}

// What was held against the vendor's bytes is written so without being asked.
TEST(EdgetpuVendorStyle, OneConvolutionThatWasComparedHasItAnyway) {
  for (const int channels : {32, 48}) {
    SCOPED_TRACE(channels);
    Member member;
    member.family = Family::conv3x3;
    member.height = 8, member.width = 72, member.channels = channels;
    const auto model = edgetpu::model_of(member);
    ASSERT_TRUE(model.ok());
    const bool compared = channels == 32;
    EXPECT_EQ(has_vendor_style(model->main()), compared);
    const CompiledModel own = in_style(*model, Style::own), like = in_style(*model, Style::vendor);
    EXPECT_EQ(own.partition.groups.at(0).vendor_equal, compared);
    const bool same =
        own.partition.groups[0].compiled.run.data == like.partition.groups.at(0).compiled.run.data;
    EXPECT_EQ(same, compared);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
