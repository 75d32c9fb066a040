#include "targets/edgetpu/compile/compile.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/layout/memory.h"
#include "targets/edgetpu/compile/proof/proof.h"
#include "targets/edgetpu/compile/templates/tiling.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Model model_of(Graph graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(std::move(graph));
  return model;
}

Result<Proof> proof_of(const Model& model, const CompiledModel& made) {
  EDGETWIN_TRY_ASSIGN(const Bytes file, tflite::write(made.model));
  std::vector<ProvenGroup> groups;
  for (const CompiledGroup& g : made.partition.groups) groups.push_back({&g.segment, &g.package});
  ProofOptions options;
  options.inputs = 1;
  return prove(model.main(), groups, file, options);
}

size_t on_chip(const Partition& p) {
  size_t n = 0;
  for (const Assignment& a : p.ops) n += a.group >= 0 ? 1 : 0;
  return n;
}

TEST(EdgetpuCompile, WhateverCompilesPassesItsProof) {
  size_t whole = 0;
  for (uint32_t seed = 10; seed < 15; ++seed) {
    const Model model = model_of(RandomNetwork(seed).any());
    ASSERT_TRUE(verify_graph(model.main()).ok()) << seed;
    const auto made = compile_model(model);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    if (on_chip(made->partition) == model.main().ops.size()) ++whole;
    if (made->partition.groups.empty()) continue;
    const auto proof = proof_of(model, *made);
    ASSERT_TRUE(proof.ok()) << to_text(proof.error());
    for (const GroupProof& g : proof->groups) {
      EXPECT_EQ(g.equal, g.inputs) << seed << ": " << g.differs << g.error;
      EXPECT_EQ(g.races, 0u) << seed;
      EXPECT_EQ(g.standstill, "") << seed;
    }
    EXPECT_TRUE(proof->holds()) << seed;
  }
  EXPECT_GE(whole, 1u);
}

// All of it on the chip as one program that passes its proof.
void expect_whole(const Model& model, uint32_t seed) {
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  for (const Assignment& a : made->partition.ops) {
    EXPECT_FALSE(a.refusal) << seed << ": " << op_label(model.main(), a.op) << a.refusal->message;
  }
  ASSERT_EQ(made->partition.groups.size(), 1u) << seed;
  const auto proof = proof_of(model, *made);
  ASSERT_TRUE(proof.ok()) << to_text(proof.error());
  EXPECT_TRUE(proof->holds()) << seed << ": " << proof->groups[0].differs << proof->groups[0].error;
  EXPECT_EQ(proof->groups[0].races, 0u) << seed;
  EXPECT_EQ(proof->groups[0].standstill, "") << seed;
}

TEST(EdgetpuCompile, DifferencesOfPictures) {
  for (uint32_t seed = 1; seed < 4; ++seed) {
    RandomNetwork net(seed);
    const ValueId in = net.input(4 + net.below(8), 4 + net.below(8), 4 * (1 + net.below(4)));
    const int channels = static_cast<int>(net.shape(in)[3]);
    const ValueId other = net.window(in, channels, 1, 1, 1, true, false);
    const bool first = net.below(2) == 0;
    const ValueId at = first ? net.difference(in, other) : net.difference(other, in);
    expect_whole(model_of(net.finish(net.window(at, 0, 3, 1, 1, true, true))), seed);
  }
}

// Rows that begin inside of 8 bytes and end with a short turn of lines in some tiles only.
TEST(EdgetpuCompile, InputsWhoseLastTurnIsShortInSomeTiles) {
  for (const auto& [h, w, c] : {std::array{7, 7, 48}, {7, 7, 36}, {9, 9, 52}, {10, 14, 68}}) {
    RandomNetwork net(static_cast<uint32_t>(c));
    const ValueId at = net.window(net.input(h, w, c), 0, 3, 1, 1, true, true);
    expect_whole(model_of(net.finish(at)), static_cast<uint32_t>(c));
  }
}

TEST(EdgetpuCompile, SoftmaxOfVectorsOfAnyLength) {
  for (const int outputs : {1, 2, 3, 4, 5, 9, 10, 64, 66, 129, 259}) {
    RandomNetwork net(static_cast<uint32_t>(outputs));
    const ValueId scores = net.dense(net.input(4, 4, 4), outputs);
    ValueId at = net.softmax(scores, outputs % 2 == 0 ? 1.0F : 0.5F);
    if (outputs == 66) at = net.softmax(net.dense(at, 7));
    expect_whole(model_of(net.finish(at)), static_cast<uint32_t>(outputs));
  }
}

TEST(EdgetpuCompile, ProductsOfPicturesOfAnySize) {
  for (uint32_t seed = 1; seed < 7; ++seed) {
    RandomNetwork net(seed);
    const ValueId in = net.input(5 + net.below(20), 5 + net.below(20), 4 * (1 + net.below(4)));
    const int channels = 1 + net.below(20);
    const ValueId a = net.window(in, channels, 1, 1, 1, true, false);
    const ValueId b = net.window(in, channels, 1, 1, 1, true, false);
    ValueId at = net.product(a, b);
    if (net.below(2) == 0) at = net.product(at, at);
    const Model model = model_of(net.finish(at));
    const Partition p = partition_of(model.main());
    if (p.ops[0].refusal) {
      EXPECT_EQ(p.ops[0].refusal->rule, Rule::form) << p.ops[0].refusal->message;
      continue;
    }
    expect_whole(model, seed);
  }
}

TEST(EdgetpuCompile, PicturesOfTwiceTheSize) {
  for (uint32_t seed = 1; seed < 5; ++seed) {
    RandomNetwork net(seed);
    ValueId at = net.window(net.input(4 + net.below(9), 4 + net.below(9), 8), 4 + net.below(20), 1,
                            1, 1, true, false);
    at = net.doubled(at);
    if (net.below(2) == 0) at = net.doubled(at);
    expect_whole(model_of(net.finish(net.window(at, 0, 3, 1, 1, true, true))), seed);
  }
}

// The border of one tensor cannot be the nearest position and a number: they are two groups.
TEST(EdgetpuCompile, TheNearestPositionIsABorderOfItsOwn) {
  RandomNetwork net(3);
  const ValueId in = net.window(net.input(8, 8, 8), 8, 1, 1, 1, true, false);
  const ValueId a = net.doubled(in), b = net.doubled(net.window(in, 0, 3, 1, 1, true, true));
  const Model model = model_of(net.finish(net.sum(a, b)));
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok());
  EXPECT_GE(made->partition.groups.size(), 2u);
  const auto proof = proof_of(model, *made);
  ASSERT_TRUE(proof.ok());
  EXPECT_TRUE(proof->holds());
}

// Groups of one file keep their parameters beside each other: no inference loads them again.
TEST(EdgetpuCompile, GroupsShareTheMemoryOfParameters) {
  RandomNetwork net(5);
  ValueId at = net.window(net.input(16, 16, 8), 32, 3, 1, 1, true, false);
  at = net.window(net.normalized(at), 32, 3, 1, 1, true, false);
  at = net.window(net.normalized(at), 32, 3, 1, 1, true, false);
  const auto made = compile_model(model_of(net.finish(at)));
  ASSERT_TRUE(made.ok());
  const auto& groups = made->partition.groups;
  ASSERT_EQ(groups.size(), 3u);
  std::array<int64_t, 16> before{};
  for (const CompiledGroup& g : groups) {
    EXPECT_EQ(g.set, 0u);
    for (const darwinn::Executable& e : g.package.executables) {
      EXPECT_EQ(e.parameter_caching_token,
                groups[0].package.executables[0].parameter_caching_token);
    }
    int64_t lines = 0;
    for (size_t t = 0; t < before.size(); ++t) {
      EXPECT_GE(g.compiled.occupied.used[t], before[t]);
      lines += g.compiled.occupied.used[t] - before[t];
    }
    EXPECT_EQ(lines, g.compiled.resident_lines);
    EXPECT_GT(lines, 0);
    before = g.compiled.occupied.used;
  }
}

TEST(EdgetpuCompile, SeveralModelsShareTheMemoryOfParameters) {
  std::vector<Model> models;
  for (uint32_t seed = 1; seed < 4; ++seed) {
    RandomNetwork net(seed);
    // The second and the third fill half of the chip each.
    const ValueId in = net.input(4, 4, 64);
    ValueId at = net.window(in, seed == 1 ? 64 : 1792, 1, 1, 1, true, false);
    at = net.window(at, seed == 1 ? 32 : 1792, 1, 1, 1, true, false);
    if (seed != 1) at = net.window(at, 0, 3, 1, 1, true, true);
    if (seed == 3)
      at = net.window(net.window(at, 1024, 1, 1, 1, true, false), 0, 3, 1, 1, true, true);
    models.push_back(model_of(net.finish(at)));
  }
  const auto made = compile_models({&models[0], &models[1], &models[2]});
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->size(), 3u);
  std::set<uint64_t> tokens;
  for (size_t k = 0; k < 3; ++k) {
    const CompiledModel& m = (*made)[k];
    ASSERT_EQ(m.partition.groups.size(), 1u) << k;
    for (const darwinn::Executable& e : m.partition.groups[0].package.executables) {
      tokens.insert(e.parameter_caching_token);
    }
    if (k == 1) continue;  // as the first of them
    const auto proof = proof_of(models[k], m);
    ASSERT_TRUE(proof.ok()) << to_text(proof.error());
    EXPECT_TRUE(proof->holds()) << k;
  }
  EXPECT_EQ(tokens.size(), 1u);
  // Parameters of depthwise layers leave their tile in one piece, however full the chip is.
  EXPECT_GT((*made)[2].partition.groups[0].compiled.streamed.size(), 0u);
  // In another order it is another set.
  const auto turned = compile_models({&models[1], &models[0], &models[2]});
  ASSERT_TRUE(turned.ok());
  const darwinn::Package& package = (*turned)[0].partition.groups[0].package;
  EXPECT_FALSE(tokens.contains(package.executables[0].parameter_caching_token));
}

// 11 MB: what costs least comes from the host while it is needed.
TEST(EdgetpuCompile, ParametersThatDoNotFitAreStreamed) {
  RandomNetwork net(1);
  ValueId at = net.window(net.input(4, 4, 64), 1024, 1, 1, 1, true, false);
  for (int k = 0; k < 4; ++k) at = net.window(at, k % 2 == 0 ? 2304 : 1024, 1, 1, 1, true, false);
  const Model model = model_of(net.finish(net.window(at, 0, 3, 1, 1, true, true)));
  expect_whole(model, 1);
  const auto made = compile_model(model);
  const CompiledSegment& s = made->partition.groups.at(0).compiled;
  EXPECT_GT(s.streamed.size(), 1'000'000u);
  EXPECT_GT(s.parameters.size(), 4'200'000u);  // more lines than 16 bits count
  EXPECT_EQ(s.streamed_bytes, static_cast<int64_t>(s.streamed.size()));
  EXPECT_LE(s.resident_lines, s.resident_room);
}

TEST(EdgetpuCompile, FullyConnectedLayersAreStreamedTileByTile) {
  RandomNetwork net(2);
  ValueId at = net.dense(net.input(4, 4, 64), 3000);
  for (const int outputs : {1500, 1500, 700}) at = net.dense(at, outputs);
  const Model model = model_of(net.finish(at));
  expect_whole(model, 2);
  EXPECT_GT(compile_model(model)->partition.groups.at(0).compiled.streamed.size(), 0u);
}

// Between two tensors that fit stand two that do not: bands of rows and columns, with borders that
// are computed twice.
TEST(EdgetpuCompile, LayersThatDoNotFitAreCutIntoBands) {
  for (uint32_t seed = 1; seed < 3; ++seed) {
    RandomNetwork net(seed);
    const ValueId in = net.input(58 + net.below(4), 66 + net.below(4), 8);
    const ValueId wide = net.window(in, 480, 1, 1, 1, true, false);
    const ValueId deep = net.window(wide, 0, 3, 1 + net.below(2), 1, true, true);
    const ValueId narrow = net.window(deep, 8, 1, 1, 1, true, false);
    const Model model = model_of(net.finish(net.window(narrow, 0, 3, 1, 1, true, true)));
    expect_whole(model, seed);
    const auto made = compile_model(model);
    size_t bands = 0;
    for (const PlannedOp& op : made->partition.groups.at(0).compiled.ops) {
      if (op.template_name.ends_with("bands")) ++bands;
    }
    EXPECT_GE(bands, 3u) << seed;
  }
}

TEST(EdgetpuCompile, OnePositionBecomesAPicture) {
  for (uint32_t seed = 1; seed < 4; ++seed) {
    RandomNetwork net(seed);
    const int h = 4 + net.below(8), w = 4 + net.below(8);
    const ValueId in = net.input(h, w, 8);
    const ValueId mean = net.window(net.average(in), 4 + 4 * net.below(3), 1, 1, 1, true, false);
    const ValueId all = net.spread(mean, h, w, seed != 2);
    expect_whole(model_of(net.finish(net.join(in, all))), seed);
  }
}

// The picture is too large for one tile; its channels are gathered where they are summed.
TEST(EdgetpuCompile, AveragesOfPicturesThatNoTileHoldsWhole) {
  RandomNetwork net(1);
  const ValueId wide = net.window(net.input(33, 31, 4), 200, 1, 1, 1, true, false);
  expect_whole(model_of(net.finish(net.dense(net.average(wide), 10))), 1);
  // More blocks of channels than tiles.
  RandomNetwork other(2);
  const ValueId many = other.window(other.input(14, 15, 4), 1100, 1, 1, 1, true, false);
  expect_whole(model_of(other.finish(other.average(many))), 2);
}

// Whole on the chip, but for borders whose moves have an unknown form.
TEST(EdgetpuCompile, GreatestOfWindows) {
  size_t whole = 0;
  for (uint32_t seed = 1; seed < 9; ++seed) {
    RandomNetwork net(seed);
    ValueId at = net.input(12 + net.below(8), 12 + net.below(8), 4 * (1 + net.below(6)));
    const int h = 2 + net.below(2), w = 1 + net.below(3);
    const int down = 1 + net.below(2), right = 1 + net.below(2);
    at = net.greatest(at, h, w, down, right);
    const Model model = model_of(net.finish(net.window(at, 8, 1, 1, 1, true, false)));
    const Partition p = partition_of(model.main());
    if (p.ops[0].refusal) {
      EXPECT_EQ(p.ops[0].refusal->rule, Rule::form) << p.ops[0].refusal->message;
      continue;
    }
    expect_whole(model, seed);
    ++whole;
  }
  EXPECT_GE(whole, 4u);
}

// What lies outside is less than any byte, whatever the zero point.
TEST(EdgetpuCompile, GreatestOfWindowsOverTheEdge) {
  size_t whole = 0;
  for (uint32_t seed = 1; seed < 7; ++seed) {
    RandomNetwork net(seed);
    ValueId at = net.input(12 + net.below(8), 12 + net.below(8), 4 * (1 + net.below(6)));
    at = net.greatest_same(at, 2 + net.below(2), 1 + net.below(2));
    const Model model = model_of(net.finish(net.window(at, 8, 1, 1, 1, true, false)));
    const Partition p = partition_of(model.main());
    if (p.ops[0].refusal) {
      EXPECT_EQ(p.ops[0].refusal->rule, Rule::form) << p.ops[0].refusal->message;
      continue;
    }
    expect_whole(model, seed);
    ++whole;
  }
  EXPECT_GE(whole, 3u);
}

// One border cannot be 0 for the pool and the zero point for the convolution.
TEST(EdgetpuCompile, ABorderHasOneValue) {
  RandomNetwork net(2);
  const ValueId in = net.input(16, 16, 8);
  const ValueId a = net.greatest_same(in, 3, 1), b = net.window(in, 8, 3, 1, 1, true, false);
  const Model model = model_of(net.finish(net.sum(a, b)));
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_FALSE(made->partition.groups.empty());
  const auto proof = proof_of(model, *made);
  ASSERT_TRUE(proof.ok()) << to_text(proof.error());
  EXPECT_TRUE(proof->holds());
}

TEST(EdgetpuCompile, PartsOfChannelsAndRepeatedPositions) {
  for (uint32_t seed = 1; seed < 5; ++seed) {
    RandomNetwork net(seed);
    ValueId at = net.input(4 * (1 + net.below(3)), 4 * (1 + net.below(3)), 16);
    at = net.window(at, 24, 3, 1, 1, true, false);
    const auto parts = net.split(at, 2);
    at = net.sum(net.slice(parts[0], 4, 8), net.slice(parts[1], 0, 8));
    at = net.nearest(at, 2, 1 + net.below(2));
    expect_whole(model_of(net.finish(net.window(at, 0, 3, 1, 1, true, true))), seed);
  }
}

TEST(EdgetpuCompile, OnePositionIsNotCutOut) {
  RandomNetwork net(4);
  const ValueId at = net.window(net.input(8, 8, 4), 16, 3, 1, 1, true, false);
  const Partition p = partition_of(net.finish(net.cut(at, {0, 2, 3, 0}, {1, 1, 1, 16})));
  ASSERT_TRUE(p.ops[1].refusal);
  EXPECT_EQ(p.ops[1].refusal->rule, Rule::shape);
  EXPECT_NE(p.ops[1].refusal->message.find("1x1x1x16 of 1x8x8x16"), std::string::npos)
      << p.ops[1].refusal->message;
}

// A tile of a 7x7 picture has one position, others have two and four.
TEST(EdgetpuCompile, TilesWithOnePosition) {
  for (uint32_t seed = 1; seed < 7; ++seed) {
    RandomNetwork net(seed);
    ValueId at = net.input(14, 14, 16);
    at = net.window(at, 32, 3, 2, 1, true, false);
    at = net.window(at, 4 * (1 + net.below(16)), 1, 1, 1, true, false);
    at = net.window(at, 0, 3, 1, 1, true, true);
    expect_whole(model_of(net.finish(net.window(at, 48, 1, 1, 1, true, false))), seed);
  }
}

TEST(EdgetpuCompile, TheRuntimeVersionIsWritten) {
  RandomNetwork net(2);
  const Model model = model_of(net.finish(net.window(net.input(8, 8, 4), 8, 3, 1, 1, true, false)));
  const auto made = compile_model(model, 12);
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->partition.groups.size(), 1u);
  EXPECT_EQ(made->partition.groups[0].package.min_runtime_version, 12);
}

TEST(EdgetpuCompile, AChainComesBackFromItsProgram) {
  RandomNetwork net(7);
  ValueId at = net.input(16, 16, 3);
  at = net.window(at, 16, 3, 2, 1, true, false);
  at = net.window(at, 0, 3, 1, 1, true, true);
  at = net.window(at, 32, 1, 1, 1, true, false);
  at = net.dense(net.average(at), 20);
  const Model model = model_of(net.finish(at));
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->partition.groups.size(), 1u);
  const auto proof = proof_of(model, *made);
  ASSERT_TRUE(proof.ok()) << to_text(proof.error());
  EXPECT_TRUE(proof->holds());
  EXPECT_EQ(proof->layers, 5u);
  EXPECT_GE(proof->decompiled, 4u);  // the average of one group may lose its scale
}

TEST(EdgetpuCompile, TheSameNetworkGivesTheSameBytes) {
  const Model model = model_of(RandomNetwork(11).any());
  const auto a = compile_model(model), b = compile_model(model);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(*tflite::write(a->model), *tflite::write(b->model));
}

TEST(EdgetpuCompile, WhatDoesNotFitStaysOnTheHostWithItsNumber) {
  RandomNetwork net(3);
  const ValueId in = net.input(300, 300, 4);
  const ValueId at = net.window(in, 128, 3, 1, 1, true, false);
  const Graph graph = net.finish(at);
  const Partition p = partition_of(graph);
  ASSERT_EQ(p.ops.size(), 1u);
  EXPECT_TRUE(p.groups.empty());
  ASSERT_TRUE(p.ops[0].refusal);
  EXPECT_EQ(p.ops[0].refusal->rule, Rule::narrow_memory);
  EXPECT_NE(p.ops[0].refusal->message.find("of 196608 bytes"), std::string::npos)
      << p.ops[0].refusal->message;
}

TEST(EdgetpuPlace, PartsFollowTheLaw) {
  const auto parts = [](int64_t n) {
    return std::vector<int64_t>{part_size(n, 0), part_size(n, 1), part_size(n, 2), part_size(n, 3)};
  };
  EXPECT_EQ(parts(10), (std::vector<int64_t>{3, 2, 3, 2}));
  EXPECT_EQ(parts(5), (std::vector<int64_t>{2, 1, 1, 1}));
  EXPECT_EQ(parts(33), (std::vector<int64_t>{9, 8, 8, 8}));
  EXPECT_EQ(parts(2), (std::vector<int64_t>{1, 0, 1, 0}));
}

TEST(EdgetpuPlace, BordersAreWhatWindowsReach) {
  Axis axis(16);
  axis.widen({.outputs = 8, .kernel = 3, .stride = 2, .front = 0});
  EXPECT_EQ(axis.front, (std::array<int64_t, 4>{0, 0, 0, 0}));
  EXPECT_EQ(axis.back, (std::array<int64_t, 4>{1, 1, 1, 1}));
  axis.widen({.outputs = 16, .kernel = 3, .stride = 1, .front = 1});
  EXPECT_EQ(axis.front, (std::array<int64_t, 4>{1, 1, 1, 1}));
  EXPECT_TRUE(axis.by_neighbours());
  Axis wide(8);
  wide.widen({.outputs = 8, .kernel = 3, .stride = 1, .front = 4, .dilation = 4});
  EXPECT_FALSE(wide.by_neighbours());
}

TEST(EdgetpuMemory, TheLargestComeFirst) {
  std::vector<Region> r = {{100, 0, 1, 0}, {300, 1, 2, 0}, {200, 2, 3, 0}, {50, 0, 3, 0}};
  EXPECT_EQ(place_regions(r, 550), 550);
  EXPECT_EQ(r[1].base, 0);
  EXPECT_EQ(r[2].base, 300);
  EXPECT_EQ(r[0].base, 300);
  EXPECT_EQ(r[3].base, 500);
}

TEST(EdgetpuMemory, WhatLiesHighestGoesFirstWhereTheOrderDoesNotFit) {
  const std::vector<Region> all = {{500, 0, 0, 0}, {400, 2, 2, 0}, {300, 0, 1, 0}, {300, 1, 2, 0}};
  std::vector<Region> r = all;
  EXPECT_EQ(place_regions(r, 1100), 1100);
  EXPECT_EQ(place_regions(r, 800), 800);
  for (const Region& a : r) {
    for (const Region& b : r) {
      if (&a == &b || a.first > b.last || b.first > a.last) continue;
      EXPECT_TRUE(a.base + a.bytes <= b.base || b.base + b.bytes <= a.base);
    }
  }
  EXPECT_EQ(place_regions(r, 700), 1100);  // 800 are needed at one time
}

TEST(EdgetpuMemory, BytesInUseAtEachStep) {
  const std::vector<Region> r = {{100, 0, 1}, {300, 1, 3}, {200, 3, 3}, {50, 1, 1}};
  EXPECT_EQ(bytes_in_use(r), (std::vector<int64_t>{100, 450, 300, 500, 0}));
  EXPECT_TRUE(may_fit(r, 500));
  EXPECT_FALSE(may_fit(r, 499));
  EXPECT_TRUE(may_fit({}, 0));
}

// Whatever was asked before, a layer gets the answer that it gets alone.
TEST(EdgetpuKnownForms, AreThoseOfEachLayer) {
  KnownForms all;
  size_t known = 0, asked = 0;
  for (const int64_t channels : {3, 64, 512}) {
    for (const int64_t outputs : {4, 96}) {
      for (int64_t n = 0; n < 36; ++n) {
        const int64_t kernel = n % 3 == 0 ? 1 : n % 3 == 1 ? 3 : 5, stride = 1 + n / 3 % 2;
        LayerSpec s;
        Map in, out;
        out.y = out.x = Axis(n / 6 % 3 == 0 ? 4 : n / 6 % 3 == 1 ? 7 : 16);
        in.y = in.x = Axis(out.y.size * stride);
        in.channels = channels, out.channels = outputs;
        s.y = s.x = {out.y.size, kernel, stride, kernel / 2, 1};
        in.y.widen(s.y), in.x.widen(s.x);
        s.in = &in, s.out = &out;
        s.outputs = outputs;
        s.numbers.has_scale = n / 18 == 1;
        s.numbers.has_bias = true;
        Tiling shape;
        shape.words = ceil_div(channels, 4), shape.taps = kernel * kernel;
        shape.groups = ceil_div(outputs, 64), shape.header = s.numbers.items();
        shape.positions = out.y.own(0) * out.x.own(0);
        const Tiling one = KnownForms().tiling(s, shape, kWideTop);
        const Tiling again = all.tiling(s, shape, kWideTop);
        EXPECT_EQ(again.inner, one.inner);
        EXPECT_EQ(again.lowest_line, one.lowest_line);
        s.tiling = one;
        EXPECT_EQ(all.has(s), KnownForms().has(s));
        known += all.has(s) ? 1 : 0;
        ++asked;
      }
    }
  }
  EXPECT_GT(known, asked / 4);
  EXPECT_LT(known, asked);
}

// 1,100 are within the limit, 800 are what the second step needs.
TEST(EdgetpuMemory, TheLowestPlan) {
  std::vector<Region> r = {{500, 0, 0, 0}, {400, 2, 2, 0}, {300, 0, 1, 0}, {300, 1, 2, 0}};
  EXPECT_EQ(place_regions(r, 1100, Aim::lowest), 800);
}

TEST(EdgetpuMemory, ABlockIsCutWhereATileIsFull) {
  Residence residence(10);
  ASSERT_EQ(residence.same_line(0, 2, 4), 0);
  const auto pieces = residence.anywhere(25, false);
  ASSERT_TRUE(pieces);
  int64_t lines = 0;
  for (const Piece& p : *pieces) lines += p.lines;
  EXPECT_EQ(lines, 25);
  EXPECT_EQ(pieces->size(), 3u);
  EXPECT_FALSE(residence.anywhere(11, true));
  EXPECT_FALSE(residence.anywhere(1000, false));
}

// The public 3x3 family changes its program between widths 168 and 176.
TEST(EdgetpuTiling, OutputsInOneGoWhereThatTakesFewerLines) {
  Tiling t;
  t.words = 8;
  t.taps = 9;
  t.header = 2;
  t.positions = 126;
  EXPECT_FALSE(tiling_of(t, kWideTop).finished);
  t.positions = 132;
  EXPECT_TRUE(tiling_of(t, kWideTop).finished);
}

TEST(EdgetpuWalk, NeighbouringLevelsBecomeOne) {
  const Dims dims = fused({{4, 3}, {12, 5}, {100, 2}});
  ASSERT_EQ(dims.size(), 2u);
  EXPECT_EQ(dims[0].count, 15);
  EXPECT_EQ(dims[1].stride, 100);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
