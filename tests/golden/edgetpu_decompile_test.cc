// Every compiled Edge TPU model of the data folder decompiled; where its source is at hand, held
// against it layer by layer, and run beside it.
#include "targets/edgetpu/decompile/decompile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "golden/edgetpu_pairs.h"
#include "golden/golden.h"
#include "targets/edgetpu/decompile/compare/compare.h"
#include "targets/edgetpu/decompile/write/write_moves.h"
#include "targets/edgetpu/machine/machine.h"

namespace edgetwin::golden {
namespace {

// Those beside the recordings of devices, too.
std::vector<fs::path> compiled() { return compiled_models(shared_data() / "edgetpu"); }

struct Opened {
  edgetpu::Decompiled decompiled;
  Model written;  // and read again
};

// 2^23 are all mantissas.
constexpr uint32_t kTries = kInstrumented ? 1U << 10U : 1U << 23U;

Result<Opened> read_and_open(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, path.string()));
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(data, path.string()));
  Opened o;
  EDGETWIN_TRY_ASSIGN(o.decompiled, edgetpu::decompile(model, file, {.tries = kTries}));
  EDGETWIN_TRY_ASSIGN(const Bytes written, tflite::write(o.decompiled.model));
  EDGETWIN_TRY_ASSIGN(o.written, tflite::read(written, "written"));
  return o;
}

// Each file is decompiled once for all tests.
const Result<Opened>& open(const fs::path& path) {
  static std::map<fs::path, Result<Opened>> opened;
  const auto known = opened.find(path);
  if (known != opened.end()) return known->second;
  return opened.emplace(path, read_and_open(path)).first->second;
}

// How many of `count` runs on pseudo-random inputs give other bytes.
int different_runs(const Graph& a, const Graph& b, int count) {
  auto left = exec::Session::create(std::make_shared<const Graph>(a), {.numerics = "edgetpu"});
  auto right = exec::Session::create(std::make_shared<const Graph>(b), {.numerics = "edgetpu"});
  EXPECT_TRUE(left.ok() && right.ok());
  if (!left.ok() || !right.ok() || a.outputs.size() != b.outputs.size()) return count;
  std::vector<Shape> shapes;
  for (const ValueId id : a.inputs) shapes.push_back(left->shape(id));
  int64_t macs = 0;
  for (const exec::Step& s : left->steps()) macs += s.macs;
  constexpr int64_t kLarge = 100'000'000;
  if (kInstrumented && macs > kLarge) count = 2;
  int different = 0;
  for (int k = 0; k < count; ++k) {
    const auto in = exec::generated_inputs(100 + static_cast<uint32_t>(k), a, shapes);
    EXPECT_TRUE(in.ok() && run(*left, *in).ok() && run(*right, *in).ok());
    bool equal = true;
    for (size_t o = 0; o < a.outputs.size(); ++o) {
      const ByteSpan x = left->bytes(a.outputs[o]);
      const ByteSpan y = right->bytes(b.outputs[o]);
      equal = equal && std::equal(x.begin(), x.end(), y.begin(), y.end());
    }
    different += equal ? 0 : 1;
  }
  return different;
}

class EdgeTpuDecompile : public testing::Test {
 protected:
  void SetUp() override {
    if (compiled().empty()) GTEST_SKIP() << "no compiled models in EDGETWIN_SHARED_DATA";
  }
};

TEST_F(EdgeTpuDecompile, LayersAreThoseOfTheSource) {
  size_t layers = 0;
  size_t exact = 0;
  for (const fs::path& path : compiled()) {
    const fs::path source_path = source_of(path);
    if (source_path.empty()) continue;
    const auto& opened = open(path);
    ASSERT_TRUE(opened.ok()) << path << " " << to_text(opened.error());
    EXPECT_TRUE(opened->decompiled.complete()) << path;
    EXPECT_TRUE(opened->decompiled.findings.empty())
        << path << " " << opened->decompiled.findings[0].message;
    const auto source = load_graph(source_path);
    ASSERT_TRUE(source.ok());
    const auto c = edgetpu::compare_networks(opened->written.main(), **source);
    layers += c.layers.size();
    exact += c.exact();
    EXPECT_TRUE(c.extra.empty()) << path << " " << c.extra[0];
    for (const edgetpu::LayerMatch& m : c.layers) {
      EXPECT_FALSE(m.decompiled.empty()) << path << " " << m.source;
      for (const std::string& d : m.differences) {
        const bool last_bits = d == "other limits of the result" || d == "another multiplier";
        EXPECT_TRUE(kInstrumented && last_bits) << path << " " << m.source << ": " << d;
      }
    }
  }
  EXPECT_GT(layers, 440U);
  if (!kInstrumented) {
    EXPECT_EQ(exact, layers);
  }
}

// Issue 17, section 7: the softmax of this file was reported with another multiplier.
TEST_F(EdgeTpuDecompile, SoftmaxHasTheMultiplierOfItsSource) {
  const fs::path folder = edgetpu_models() / "coral_test_data";
  const fs::path path = folder / "mobilenet_v1_0.75_192_quant_edgetpu.tflite";
  if (!fs::exists(path)) GTEST_SKIP() << "no " << path;
  const auto& opened = open(path);
  ASSERT_TRUE(opened.ok()) << to_text(opened.error());
  const auto source = load_graph(folder / "mobilenet_v1_0.75_192_quant.tflite");
  ASSERT_TRUE(source.ok());
  size_t seen = 0;
  for (const edgetpu::LayerMatch& m :
       edgetpu::compare_networks(opened->written.main(), **source).layers) {
    if (m.source.find("SOFTMAX") == std::string::npos) continue;
    ++seen;
    EXPECT_TRUE(m.exact()) << m.source << ": " << (m.differences.empty() ? "" : m.differences[0]);
  }
  EXPECT_EQ(seen, 1U);
}

// Issue 17, section 7: two inputs of a segment of SSD were given the wrong zero point.
TEST_F(EdgeTpuDecompile, InputsAndOutputsHaveTheQuantizationOfTheFile) {
  size_t several = 0;
  for (const fs::path& path : compiled()) {
    const auto data = read_file(path);
    ASSERT_TRUE(data.ok());
    const auto file = tflite::read(*data, path.string());
    // Those with several inputs, which were wrong once; the others are decompiled by other tests.
    if (!file.ok() || file->main().inputs.size() < 2) continue;
    const auto& opened = open(path);
    if (!opened.ok()) continue;
    const Graph& theirs = file->main();
    const Graph& mine = opened->written.main();
    ASSERT_EQ(mine.inputs.size(), theirs.inputs.size()) << path;
    ASSERT_EQ(mine.outputs.size(), theirs.outputs.size()) << path;
    several += mine.inputs.size() > 1 ? 1 : 0;
    for (size_t i = 0; i < mine.inputs.size(); ++i)
      EXPECT_EQ(mine.value(mine.inputs[i]).quant, theirs.value(theirs.inputs[i]).quant)
          << path << " input " << i;
    for (size_t i = 0; i < mine.outputs.size(); ++i)
      EXPECT_EQ(mine.value(mine.outputs[i]).quant, theirs.value(theirs.outputs[i]).quant)
          << path << " output " << i;
  }
  EXPECT_GE(several, 2U);
}

TEST_F(EdgeTpuDecompile, RunsEqualTheSource) {
  size_t compared = 0;
  for (const fs::path& path : compiled()) {
    const fs::path source_path = source_of(path);
    if (source_path.empty()) continue;
    const auto& opened = open(path);
    ASSERT_TRUE(opened.ok()) << path;
    const auto source = load_graph(source_path);
    ASSERT_TRUE(source.ok());
    const auto& ops = opened->decompiled.ops;
    const bool all = std::all_of(ops.begin(), ops.end(),
                                 [](const auto& op) { return op.scales.inexact.empty(); });
    if (kInstrumented && !all) continue;
    EXPECT_EQ(different_runs(**source, opened->written.main(), 20), 0) << path;
    ++compared;
  }
  EXPECT_GT(compared, 20U);
}

const Op* first_lstm(const Graph& graph) {
  for (const Op& op : graph.ops) {
    if (op.kind == OpKind::unidirectional_sequence_lstm) return &op;
  }
  return nullptr;
}

// A recurrent layer comes back with every gate's weights, biases and scales, bit for bit.
TEST_F(EdgeTpuDecompile, RecurrentLayersAreThoseOfTheSource) {
  size_t constants = 0;
  for (const fs::path& path : compiled()) {
    const fs::path source_path = source_of(path);
    if (source_path.empty()) continue;
    const auto source = load_graph(source_path);
    ASSERT_TRUE(source.ok());
    const Op* theirs = first_lstm(**source);
    if (theirs == nullptr) continue;
    const auto& opened = open(path);
    ASSERT_TRUE(opened.ok()) << path;
    const Graph& written = opened->written.main();
    const Op* mine = first_lstm(written);
    ASSERT_NE(mine, nullptr) << path;
    ASSERT_EQ(mine->inputs.size(), theirs->inputs.size());
    for (size_t i = 1; i < mine->inputs.size(); ++i) {
      ASSERT_EQ(mine->inputs[i] == kAbsent, theirs->inputs[i] == kAbsent) << i;
      if (mine->inputs[i] == kAbsent) continue;
      const Value& x = written.value(mine->inputs[i]);
      const Value& y = (*source)->value(theirs->inputs[i]);
      EXPECT_EQ(x.shape, y.shape) << i;
      EXPECT_EQ(x.quant.scale, y.quant.scale) << i;
      EXPECT_EQ(x.quant.zero_point, y.quant.zero_point) << i;
      EXPECT_EQ(x.is_variable, y.is_variable) << i;
      ASSERT_EQ(x.is_constant(), y.is_constant()) << i;
      if (!x.is_constant()) continue;
      EXPECT_EQ(*x.constant, *y.constant) << i;
      ++constants;
    }
  }
  EXPECT_GE(constants, 12U);
}

// One other weight or bias of a gate is a difference.
TEST_F(EdgeTpuDecompile, GatesAreHeldAgainstTheSource) {
  size_t compared = 0;
  for (const fs::path& path : compiled()) {
    const fs::path source_path = source_of(path);
    if (source_path.empty()) continue;
    const auto source = load_graph(source_path);
    ASSERT_TRUE(source.ok());
    const Op* lstm = first_lstm(**source);
    if (lstm == nullptr) continue;
    const auto& opened = open(path);
    ASSERT_TRUE(opened.ok()) << path;
    for (const size_t operand : {1, 8, 12}) {
      Graph changed = **source;
      Value& v = changed.value(lstm->inputs[operand]);
      Bytes bytes = *v.constant;
      bytes[0] ^= std::byte{1};
      v.constant = std::make_shared<const Bytes>(std::move(bytes));
      const auto all = edgetpu::compare_networks(opened->written.main(), changed,
                                                 edgetpu::program_numbers(opened->decompiled.ops));
      EXPECT_EQ(all.exact() + 1, all.layers.size()) << path << " " << operand;
      ++compared;
    }
  }
  EXPECT_GE(compared, 3U);
}

// A program that only moves bytes, told by executing it instead of by its instructions.
TEST_F(EdgeTpuDecompile, TheMachineTellsMovesToo) {
  const fs::path path = edgetpu_models() / "coral_test_data/tools/split_concat_edgetpu.tflite";
  if (!fs::exists(path)) GTEST_SKIP() << "no " << path;
  const Bytes data = std::move(read_file(path)).value();
  const darwinn::File file = std::move(darwinn::read(data, path.string())).value();
  const Model model = std::move(tflite::read(data, path.string())).value();
  const darwinn::Package& package = file.ops.at(0).packages.at(0);
  auto chip = edgetpu::machine::Machine::make(package);
  ASSERT_TRUE(chip.ok());
  Graph graph = model.main();
  edgetpu::DecompiledOp op;
  op.op = static_cast<size_t>(file.ops[0].op);
  edgetpu::GraphRewrite r{graph, op, *package.inference()};
  const Op old = graph.ops[op.op];
  const Status moved = edgetpu::write_moves(
      r, old, [&](const std::vector<ByteSpan>& in) { return chip->run_dense(in); });
  ASSERT_TRUE(moved.ok()) << to_text(moved.error());
  ASSERT_TRUE(verify_graph(graph).ok());
  const auto source = load_graph(source_of(path));
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(different_runs(graph, **source, 20), 0);
}

// What a program without its source can be held against: itself. The output of the layer before has
// the zero point that the instruction subtracts.
TEST_F(EdgeTpuDecompile, ZeroPointsAgreeAlongTheEdges) {
  size_t edges = 0;
  for (const fs::path& path : compiled()) {
    const auto& opened = open(path);
    ASSERT_TRUE(opened.ok()) << path;
    for (const edgetpu::DecompiledOp& op : opened->decompiled.ops) {
      for (const edgetpu::DecompiledLayer& l : op.layers.layers) {
        if (!l.numbers.weighted() || l.inputs.empty() || !l.problem.empty() || l.followed) continue;
        const edgetpu::Producer p = l.inputs[0].from[0];
        const auto index = static_cast<size_t>(p < 0 ? -1 - p : p);
        const auto& of = p < 0 ? op.scales.inputs : op.scales.layers;
        ++edges;
        EXPECT_EQ(of[index].zero_point, l.numbers.input_zero_point) << path << " " << index;
      }
    }
  }
  EXPECT_GT(edges, 300U);
}

}  // namespace
}  // namespace edgetwin::golden
