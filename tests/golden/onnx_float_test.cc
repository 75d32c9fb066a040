// The float networks of the corpus: all of them are read, have shapes, and run on their calibration
// sets; where the quantized network is a fine one, the dequantized result is near the float result.
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "exec/session.h"
#include "formats/onnx/onnx.h"
#include "tensor/npy.h"

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

}  // namespace
}  // namespace edgetwin
