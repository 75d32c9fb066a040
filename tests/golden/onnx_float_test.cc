// The float networks of the corpus: all of them are read, have shapes, and run on their calibration
// sets; where the quantized network is a fine one, the dequantized result is near the float result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "exec/session.h"
#include "formats/onnx/import/onnx.h"
#include "tensor/npy.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  const char* data = std::getenv("EDGETWIN_SHARED_DATA");
  return data == nullptr ? fs::path() : fs::path(data) / "espdl" / "float";
}

std::vector<fs::path> networks() {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder())) return found;
  for (const auto& entry : fs::directory_iterator(folder())) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::shared_ptr<const Graph> read_graph(const fs::path& network) {
  const auto data = read_file((network / "model.onnx").string());
  EXPECT_TRUE(data.ok());
  EXPECT_TRUE(onnx::looks_like_onnx(*data)) << network;
  Result<Model> model = onnx::read(*data, network.string());
  EXPECT_TRUE(model.ok()) << network << "\n" << (model.ok() ? "" : to_text(model.error()));
  if (!model.ok()) return nullptr;
  return std::make_shared<const Graph>(std::move(model->graphs[0]));
}

TEST(OnnxFloat, AllNetworksRun) {
  if (networks().empty()) GTEST_SKIP() << "no folder espdl/float";
  size_t runs = 0;
  for (const fs::path& network : networks()) {
    const auto graph = read_graph(network);
    ASSERT_NE(graph, nullptr);
    auto session = exec::Session::create(graph, {.numerics = "onnx"});
    ASSERT_TRUE(session.ok()) << network << "\n" << to_text(session.error());
    for (size_t i = 0; i < graph->inputs.size(); ++i) {
      const auto file = network / ("calib_" + std::to_string(i) + ".npy");
      const auto data = read_file(file.string());
      ASSERT_TRUE(data.ok()) << file;
      const auto set = read_npy(*data, file.string());
      ASSERT_TRUE(set.ok());
      const Value& input = graph->value(graph->inputs[i]);
      const auto bytes = static_cast<size_t>(storage_bytes(input.dtype, input.shape.elements()));
      ASSERT_EQ(set->data.size(), bytes * static_cast<size_t>(set->shape[0])) << file;
      ASSERT_TRUE(session->set_input(i, ByteSpan(set->data).first(bytes)).ok());
    }
    ASSERT_TRUE(session->run().ok()) << network;
    for (size_t i = 0; i < graph->outputs.size(); ++i) {
      const Tensor out = session->output(i);
      EXPECT_EQ(out.shape, graph->value(graph->outputs[i]).shape) << network;
      if (out.dtype != DType::float32) continue;
      for (const float v : out.as<float>()) ASSERT_TRUE(std::isfinite(v)) << network;
    }
    ++runs;
  }
  EXPECT_GE(runs, 60U);
}

using nlohmann::json;

Tensor array_of(const fs::path& file) {
  const auto data = read_file(file.string());
  EXPECT_TRUE(data.ok()) << file;
  auto tensor = read_npy(*data, file.string());
  EXPECT_TRUE(tensor.ok()) << file;
  return std::move(*tensor);
}

// A recorded array in real numbers and in the order of the float network: files keep pictures with
// their channels last.
std::vector<float> real_numbers(const Tensor& t, int exponent, const Shape& wanted) {
  std::vector<float> values;
  const int rank = t.shape.rank();
  const bool turned = !(t.shape == wanted) && rank >= 3;
  const int64_t channels = turned ? t.shape[rank - 1] : 1;
  const int64_t pixels = turned ? t.shape.elements(1, rank - 1) : 1;
  for (int64_t i = 0; i < t.shape.elements(); ++i) {
    int64_t from = i;
    if (turned) {
      const int64_t plane = i / pixels;
      from = (plane / channels * pixels + i % pixels) * channels + plane % channels;
    }
    values.push_back(std::ldexp(static_cast<float>(element_as_double(t.dtype, t.data, from)),
                                t.dtype == DType::float32 ? 0 : exponent));
  }
  return values;
}

bool is_turned(const Shape& s, const Shape& wanted) {
  if (s == wanted) return true;
  Shape turned{s[0], s.back(0)};
  for (int i = 1; i + 1 < s.rank(); ++i) turned.push_back(s[i]);
  return turned == wanted;
}

Shape shape_of(const json& dims) {
  Shape s;
  for (const auto& d : dims) s.push_back(d.get<int64_t>());
  return s;
}

// The noise of the 16-bit results that the vendor's quantizer recorded, against the float network
// on the same input, as a share of the signal's power; nothing where they do not compare.
std::optional<double> deviation(const fs::path& root, const json& c) {
  const fs::path dir = root / c["dir"].get<std::string>();
  Graph network = *read_graph(root / c["float_model"].get<std::string>());
  for (Op& op : network.ops) {
    // The vendor's tools divide by the whole window, whatever count_include_pad says.
    if (auto* pool = std::get_if<PoolAttrs>(&op.attrs)) pool->count_padding = true;
  }
  const auto graph = std::make_shared<const Graph>(std::move(network));
  auto session = exec::Session::create(graph, {.numerics = "onnx"});
  EXPECT_TRUE(session.ok());
  for (const json& in : c["inputs"]) {
    for (size_t i = 0; i < graph->inputs.size(); ++i) {
      const Value& v = graph->value(graph->inputs[i]);
      if (v.name != in["name"].get<std::string>()) continue;
      if (!is_turned(shape_of(in["shape"]), v.shape)) return std::nullopt;
      const auto x = real_numbers(array_of(dir / in["file"].get<std::string>()),
                                  in["exponent"].get<int>(), v.shape);
      EXPECT_TRUE(session->set_input(i, std::as_bytes(std::span(x))).ok());
    }
  }
  EXPECT_TRUE(session->run().ok());
  double worst = 0.0;
  for (const json& out : c["outputs"]) {
    for (const ValueId id : graph->outputs) {
      const Value& v = graph->value(id);
      if (v.name != out["name"].get<std::string>() || v.dtype != DType::float32) continue;
      if (!is_turned(shape_of(out["shape"]), v.shape)) return std::nullopt;
      const int exponent =
          out.contains("exponent") && out["exponent"].is_number() ? out["exponent"].get<int>() : 0;
      const auto wanted =
          real_numbers(array_of(dir / out["quantizer"].get<std::string>()), exponent, v.shape);
      const Tensor got = session->tensor(id);
      // What the observer had cut off is not the float network's fault.
      const double limit = std::ldexp(32768.0, exponent);
      double signal = 1e-12;
      double noise = 0.0;
      for (size_t i = 0; i < wanted.size(); ++i) {
        const auto a = static_cast<double>(wanted[i]);
        const double b = std::clamp(static_cast<double>(got.as<float>()[i]), -limit, limit);
        signal += a * a;
        noise += (a - b) * (a - b);
      }
      worst = std::max(worst, noise / signal);
    }
  }
  return worst;
}

// Saturation inside a network is the most of it, and what one of them is made for; a wrong axis,
// border or attribute is near 1.
double most_noise(const std::string& id) { return id.starts_with("conv_saturate") ? 0.05 : 0.01; }

TEST(OnnxFloat, IsNearTheQuantizersSixteenBits) {
  const fs::path root = folder().parent_path();
  if (networks().empty()) GTEST_SKIP() << "no folder espdl/float";
  std::ifstream file(root / "cases.json");
  const json cases = json::parse(file);
  size_t compared = 0;
  size_t near = 0;
  std::string far;
  for (const json& c : cases) {
    const auto bits = c["bits"];
    if (c["source"] != "own" || bits != 16 || c["mixed_8_16"].get<bool>()) continue;
    const auto d = deviation(root, c);
    if (!d) continue;
    ++compared;
    if (*d < most_noise(c["id"].get<std::string>())) {
      ++near;
    } else {
      far += c["id"].get<std::string>() + " " + std::to_string(*d) + "\n";
    }
  }
  EXPECT_GE(compared, 90U);
  EXPECT_EQ(near, compared) << far;
}

}  // namespace
}  // namespace edgetwin
