// Whose channels a layer reads, out of small programs.
#include <gtest/gtest.h>

#include "targets/edgetpu/decompile/layers/find_layers.h"
#include "targets/edgetpu/decompile/operands/lstm_stages.h"
#include "targets/edgetpu/params/block.h"
#include "unit/targets/edgetpu/decompile/programs.h"

namespace edgetwin::edgetpu {
namespace {

constexpr uint32_t kOne = 0x3F800000;  // 1.0 in single precision
constexpr int kPositions = 16;

// An executable with inputs of 4 x 4 positions and so many channels, and a list of their transfers.
darwinn::Executable with_inputs(const std::vector<Assembly>& instructions,
                                const std::vector<int>& channels) {
  darwinn::Executable e = program(instructions);
  e.dma_hints.emplace();
  e.dma_hints->fully_deterministic = true;
  for (const int c : channels) {
    darwinn::Layer l;
    l.name = "in" + std::to_string(e.inputs.size());
    l.y_dim = l.x_dim = 4;
    l.z_dim = c;
    e.inputs.push_back(l);
    darwinn::DmaHint h;
    h.kind = darwinn::HintKind::descriptor;
    h.meta.base = darwinn::BaseAddress::input;
    h.meta.name = l.name;
    e.dma_hints->hints.push_back(h);
  }
  return e;
}

// One input arrives at a word of tile 0.
std::vector<Assembly> arrival(int64_t word, int64_t words) {
  Assembly param(Opcode::param);
  param.set("tiles", 1).set("kind", 1).set("wait.start", 1);
  return {Assembly(Opcode::infeed),
          copy(Opcode::wide_to_narrow, 0x1, {2078, {}}, {word, {{1, words}}}), param};
}

// Bytes of pixels of `channels` put into words of their own, `pitch` bytes from pixel to pixel.
Assembly spread(int64_t from, int64_t to, int64_t channels, int64_t pitch) {
  Assembly a = tensor(1, {channels, kPositions}, {from, {{1, channels}, {channels, kPositions}}},
                      {to, {{4, 1}, {pitch, kPositions}}}, 0x1C30);
  a.set("multiplier", kOne).set("upper", 0x7F800000).set("lower", 0xFF800000);
  return a;
}

// A convolution of one by one: `words` of a pixel to four channels.
Assembly convolution(int64_t from, int64_t words, int64_t pitch, int64_t to) {
  Assembly a = tensor(1, {words, kPositions}, {from, {{4, words}, {pitch, kPositions}}},
                      {to, {{4, 1}, {4, kPositions}}});
  a.set("multiplier", 0x3C000000).set("weight_zero_point", 128);
  return a;
}

void append(std::vector<Assembly>& to, const std::vector<Assembly>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

const DecompiledLayer& last_layer(const Layers& l) { return l.layers.back(); }

// Two inputs of three channels come one after the other into the same buffer; the layer reads the
// second one's words in front of the first one's.
TEST(Channels, InputsInOneBufferAreToldApartByTheirOrder) {
  std::vector<Assembly> all = arrival(100, 12);
  all.push_back(spread(400, 4 + 2000, 3, 8));
  append(all, arrival(100, 12));
  all.push_back(spread(400, 2000, 3, 8));
  all.push_back(convolution(2000, 2, 8, 4000));
  const auto l = find_layers(with_inputs(all, {3, 3}), nullptr);
  ASSERT_TRUE(l.ok());
  ASSERT_EQ(l->layers.size(), 1U);
  EXPECT_EQ(last_layer(*l).inputs.front().from, (std::vector<Producer>{-2, -1}));
  EXPECT_EQ(last_layer(*l).in, (Extent2D{4, 4, 6}));
}

// Read more often than it is filled: nobody knows which input it is.
TEST(Channels, ABufferThatIsReadOnceMoreIsNotGuessed) {
  std::vector<Assembly> all = arrival(100, 12);
  all.push_back(spread(400, 4 + 2000, 3, 8));
  all.push_back(spread(400, 6000, 3, 8));
  append(all, arrival(100, 12));
  all.push_back(spread(400, 2000, 3, 8));
  all.push_back(convolution(2000, 2, 8, 4000));
  const auto l = find_layers(with_inputs(all, {3, 3}), nullptr);
  ASSERT_TRUE(l.ok());
  EXPECT_FALSE(l->replay.inputs_certain);
  EXPECT_NE(last_layer(*l).inputs.front().from, (std::vector<Producer>{-2, -1}));
}

// A layer of eight channels, of which another reads the upper four.
TEST(Channels, APartOfALayersChannels) {
  std::vector<Assembly> all = arrival(100, 16 * 1);
  Assembly eight = tensor(1, {1, kPositions}, {400, {{4, 1}, {4, kPositions}}},
                          {2000, {{4, 2}, {8, kPositions}}});
  eight.set("multiplier", 0x3C000000).set("weight_zero_point", 128);
  all.push_back(eight);
  Assembly upper = convolution(2004, 1, 8, 4000);
  upper.set("multiplier", 0x3D000000);
  all.push_back(upper);
  const auto l = find_layers(with_inputs(all, {4}), nullptr);
  ASSERT_TRUE(l.ok());
  ASSERT_EQ(l->layers.size(), 2U);
  const Operand& o = last_layer(*l).inputs.front();
  EXPECT_EQ(o.from, (std::vector<Producer>{0}));
  EXPECT_EQ(o.taken, (std::vector<ChannelRange>{{4, 4}}));
  EXPECT_EQ(last_layer(*l).in, (Extent2D{4, 4, 4}));
}

// A matrix of zeros and ones in the program's own parameters takes two of eight channels.
TEST(Channels, AMatrixTakesChannels) {
  std::vector<Assembly> all = arrival(100, 12);
  all.push_back(spread(400, 2000, 3, 8));
  append(all, arrival(300, 8));
  all.push_back(spread(1200, 4 + 2000, 2, 8));
  Assembly matrix = convolution(2000, 2, 8, 4000);
  matrix.set("multiplier", kOne).set("weight_zero_point", 0);
  all.push_back(matrix);
  Assembly load(Opcode::param);
  load.set("tiles", 1).set("wait.start", 1);
  all.push_back(load);
  darwinn::Executable e = with_inputs(all, {3, 2});
  BlockShape shape;
  shape.out = 4;
  shape.in = 8;
  shape.spatial = true;
  BlockContent content;
  content.weights.assign(32, std::byte{0});
  content.weights[5] = std::byte{1};      // output 0: the second input's second channel
  content.weights[8 + 1] = std::byte{1};  // output 1: the first input's second channel
  content.zero_points = {0};
  e.parameters = write_block(shape, content);
  const auto l = find_layers(e, nullptr);
  ASSERT_TRUE(l.ok());
  ASSERT_EQ(l->layers.size(), 1U);
  const DecompiledLayer& taken = last_layer(*l);
  EXPECT_EQ(taken.problem, "");
  EXPECT_EQ(taken.type, LayerType::concat);
  EXPECT_EQ(taken.inputs.front().from, (std::vector<Producer>{-2, -1}));
  EXPECT_EQ(taken.inputs.front().taken, (std::vector<ChannelRange>{{1, 1}, {1, 1}}));
  EXPECT_EQ(taken.out, (Extent2D{4, 4, 2}));
  // The same matrix with two ones in a row is none.
  content.weights[8 + 4] = std::byte{1};
  e.parameters = write_block(shape, content);
  const auto sum = find_layers(e, nullptr);
  ASSERT_TRUE(sum.ok());
  EXPECT_NE(last_layer(*sum).problem, "");
}

Assembly branch(int64_t offset) {
  Assembly a(Opcode::branch);
  a.set("offset", static_cast<uint64_t>(offset));
  return a;
}

TEST(Loop, IsABranchBackOverTensorInstructions) {
  const Assembly work = convolution(0, 1, 4, 400);
  const auto steps = [](const std::vector<Assembly>& all, darwinn::Executable& e) {
    e = program(all);
    return decode_program(e);
  };
  darwinn::Executable e;
  EXPECT_FALSE(find_loop(steps({work, branch(2)}, e)));
  EXPECT_FALSE(find_loop(steps({work, Assembly(Opcode::infeed), branch(-2)}, e)));
  const auto loop = find_loop(steps({Assembly(Opcode::infeed), work, branch(-17)}, e));
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->first, 1U);
  EXPECT_EQ(loop->last, 2U);
  // Which of two loops holds the layer is not known.
  EXPECT_FALSE(find_loop(steps({work, branch(-17), work, branch(-17)}, e)));
}

}  // namespace
}  // namespace edgetwin::edgetpu
