// Every compiled Edge TPU model of the data folder decompiled; where its source is at hand, held
// against it layer by layer, and run beside it.
#include "targets/edgetpu/decompile/decompile.h"

#include <gtest/gtest.h>

#include <map>

#include "golden/golden.h"
#include "targets/edgetpu/decompile/compare.h"

namespace edgetwin::golden {
namespace {

std::vector<fs::path> compiled_models() {
  std::vector<fs::path> found;
  const fs::path folder = shared_data() / "edgetpu";
  if (shared_data().empty() || !fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name.ends_with("_edgetpu.tflite")) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// net_edgetpu.tflite or net_cocompiled_with_x_edgetpu.tflite: net.tflite beside it or above.
fs::path source_of(const fs::path& compiled) {
  std::string name = compiled.filename().string();
  name.resize(std::min(name.find("_edgetpu"), name.find("_cocompiled")));
  for (const fs::path& folder : {compiled.parent_path(), compiled.parent_path().parent_path()}) {
    if (fs::exists(folder / (name + ".tflite"))) return folder / (name + ".tflite");
  }
  return {};
}

// Networks whose operators are not all understood: recurrent state, constants that are streamed to
// elementwise operators.
bool is_open(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.find("lstm") != std::string::npos || name.find("movenet") != std::string::npos;
}

struct Opened {
  edgetpu::Decompiled decompiled;
  Model written;  // and read again
};

Result<Opened> read_and_open(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, path.string()));
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(data, path.string()));
  Opened o;
  const uint32_t tries = is_open(path) ? 64 : 1U << 16U;
  EDGETWIN_TRY_ASSIGN(o.decompiled, edgetpu::decompile(model, file, {.tries = tries}));
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
  if (macs > kLarge) count = 2;
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
    if (compiled_models().empty()) GTEST_SKIP() << "no compiled models in EDGETWIN_SHARED_DATA";
  }
};

TEST_F(EdgeTpuDecompile, LayersAreThoseOfTheSource) {
  size_t layers = 0;
  size_t exact = 0;
  for (const fs::path& path : compiled_models()) {
    const fs::path source_path = source_of(path);
    if (source_path.empty() || is_open(path)) continue;
    const auto& opened = open(path);
    ASSERT_TRUE(opened.ok()) << path << " " << to_text(opened.error());
    EXPECT_TRUE(opened->decompiled.complete()) << path;
    const auto source = load_graph(source_path);
    ASSERT_TRUE(source.ok());
    const auto c = edgetpu::compare_networks(opened->written.main(), **source);
    layers += c.layers.size();
    exact += c.exact();
    EXPECT_TRUE(c.extra.empty()) << path << " " << c.extra[0];
    for (const edgetpu::LayerMatch& m : c.layers) {
      EXPECT_FALSE(m.decompiled.empty()) << path << " " << m.source;
      // With fewer tries for the scales the last bits of limits and multipliers may differ, no
      // more.
      for (const std::string& d : m.differences) {
        EXPECT_TRUE(d == "other limits of the result" || d == "another multiplier")
            << path << " " << m.source << ": " << d;
      }
    }
  }
  EXPECT_GT(layers, 300U);
  EXPECT_GE(static_cast<double>(exact), 0.95 * static_cast<double>(layers));
}

TEST_F(EdgeTpuDecompile, RunsEqualTheSource) {
  size_t compared = 0;
  for (const fs::path& path : compiled_models()) {
    const fs::path source_path = source_of(path);
    if (source_path.empty() || is_open(path)) continue;
    const auto& opened = open(path);
    ASSERT_TRUE(opened.ok()) << path;
    const auto source = load_graph(source_path);
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(different_runs(**source, opened->written.main(), 20), 0) << path;
    ++compared;
  }
  EXPECT_GT(compared, 20U);
}

// What a program without its source can be held against: itself. The output of the layer before has
// the zero point that the instruction subtracts.
TEST_F(EdgeTpuDecompile, ZeroPointsAgreeAlongTheEdges) {
  size_t edges = 0;
  for (const fs::path& path : compiled_models()) {
    if (path.filename().string().find("lstm") != std::string::npos) continue;
    const auto& opened = open(path);
    ASSERT_TRUE(opened.ok()) << path;
    for (const edgetpu::DecompiledOp& op : opened->decompiled.ops) {
      for (const edgetpu::DecompiledLayer& l : op.layers.layers) {
        if (!l.numbers.weighted() || l.inputs.empty() || !l.problem.empty()) continue;
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
