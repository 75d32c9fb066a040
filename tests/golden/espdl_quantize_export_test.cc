// From the float network to the file: quantized as upstream does, exported with proof, and compared
// with upstream's own export.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "formats/espdl/compare/compare.h"
#include "formats/espdl/read/read.h"
#include "formats/onnx/import/onnx.h"
#include "golden/golden.h"
#include "golden/samples.h"
#include "quantize/espdl/dequantize.h"
#include "quantize/espdl/quantize.h"
#include "targets/espdl/export/export.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

// The first sample as the network's own integers.
std::vector<Tensor> integers_of(const quantize::Quantized& q, const quantize::Sample& sample,
                                espdl::Target target) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < sample.size(); ++i) {
    const Value& v = q.graph.value(q.graph.inputs[i]);
    Tensor t;
    t.name = v.name;
    t.dtype = v.dtype;
    t.shape = v.shape;
    t.data = quantize::integer_values(q, sample[i].as<float>(), q.graph.inputs[i], target);
    inputs.push_back(std::move(t));
  }
  return inputs;
}

struct Compared {
  int exported = 0, equal = 0, same_inputs = 0;
};

// Plain cases only: a width of its own for one layer, or the look-ups of another tool, are the
// quantizer's own tests.
bool is_plain(const json& c) {
  return !c["mixed_8_16"].get<bool>() && !c["hi_precision_export"].get<bool>() &&
         c["int16_lut_step"].is_null();
}

void take(const json& c, const fs::path& root, Compared& seen) {
  const fs::path folder = root / c["float_model"].get<std::string>();
  const auto data = read_file(folder / "model.onnx");
  ASSERT_TRUE(data.ok());
  onnx::ReadOptions read;
  read.passes.fuse_hard_swish = read.passes.fuse_gelu = read.passes.fuse_layer_norm = false;
  const auto model = onnx::read(*data, "model.onnx", read);
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  const espdl::Target target = *espdl::target_by_name(c["target"].get<std::string>());
  const auto samples = samples_of(folder, model->main());
  const auto q = quantize::quantize_espdl(model->main(), samples,
                                          quantize::like_upstream(target, c["bits"].get<int>()));
  ASSERT_TRUE(q.ok()) << to_text(q.error());
  targets::espdl::ExportSettings how;
  how.target = target;
  how.allow_undefined = true;
  const auto files =
      targets::espdl::export_model(q->graph, integers_of(*q, samples[0], target), how);
  ASSERT_TRUE(files.ok()) << to_text(files.error());
  ++seen.exported;
  const fs::path upstream = root / c["dir"].get<std::string>() / "model.espdl";
  const auto original = espdl::read(*read_file(upstream), upstream.string());
  ASSERT_TRUE(original.ok());
  const espdl::Document& document = original->models[0].document;
  const auto diff = espdl::compare_documents(document, files->document);
  seen.equal += diff.equal ? 1 : 0;
  if (!diff.equal) std::cout << c["id"].get<std::string>() << ": " << diff.first << "\n";
  seen.same_inputs += document.test_inputs == files->document.test_inputs ? 1 : 0;
}

TEST(EspdlQuantizeExport, FilesEqualUpstreams) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path root = shared_data() / "espdl";
  std::ifstream file(root / "cases.json");
  Compared seen;
  int cases = 0;
  for (const json& c : json::parse(file)) {
    if (!is_plain(c)) continue;
    ++cases;
    SCOPED_TRACE(c["id"].get<std::string>());
    take(c, root, seen);
  }
  std::cout << seen.equal << " of " << cases << " equal, " << seen.same_inputs
            << " with the same test inputs\n";
  EXPECT_EQ(seen.exported, cases);
  EXPECT_EQ(seen.same_inputs, cases);
  EXPECT_EQ(seen.equal, cases);
}

}  // namespace
}  // namespace edgetwin::golden
