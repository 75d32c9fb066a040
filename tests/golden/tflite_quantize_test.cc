// Every float network: in TensorFlow Lite's form it computes the same, its int8 form comes close,
// and the written file computes what the graph does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "formats/onnx/import/onnx.h"
#include "golden/golden.h"
#include "golden/samples.h"
#include "quantize/tflite/quantize.h"
#include "transform/tflite_form/form.h"

namespace edgetwin::golden {
namespace {

std::vector<fs::path> networks() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(shared_data() / "espdl" / "float")) {
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::vector<Tensor>> outputs(const Graph& graph, const char* numerics,
                                    const std::vector<Tensor>& inputs) {
  exec::Options options;
  options.numerics = numerics;
  EDGETWIN_TRY_ASSIGN(auto session,
                      exec::Session::create(std::make_shared<const Graph>(graph), options));
  EDGETWIN_TRY(run(session, inputs));
  std::vector<Tensor> result;
  for (size_t i = 0; i < graph.outputs.size(); ++i) result.push_back(session.output(i));
  return result;
}

double decibels(const Tensor& reference, const Tensor& other) {
  double signal = 0.0;
  double noise = 0.0;
  for (int64_t i = 0; i < reference.shape.elements(); ++i) {
    const double a = element_as_double(reference.dtype, reference.data, i);
    double b = element_as_double(other.dtype, other.data, i);
    if (other.quant.present()) {
      b = (b - static_cast<double>(other.quant.zero_point_of(0))) * other.quant.scale_of(0);
    }
    signal += a * a;
    noise += (a - b) * (a - b);
  }
  return noise == 0.0 ? 300.0 : 10.0 * std::log10(signal / noise);
}

// The network's own order of axes, as the form's outputs have it.
std::vector<Tensor> channels_last(const Graph& network, const std::vector<Tensor>& plain) {
  std::vector<Tensor> result = plain;
  for (size_t i = 0; i < plain.size(); ++i) {
    const Shape& s = network.value(network.outputs[i]).shape;
    if (s.rank() != 4) continue;
    for (int64_t k = 0; k < s.elements(); ++k) {
      const int64_t w = k % s[3], h = k / s[3] % s[2], c = k / (s[3] * s[2]) % s[1];
      const int64_t n = k / (s[3] * s[2] * s[1]);
      const auto at = static_cast<size_t>(((n * s[2] + h) * s[3] + w) * s[1] + c);
      result[i].as<float>()[at] = plain[i].as<float>()[static_cast<size_t>(k)];
    }
  }
  return result;
}

struct Seen {
  int formed = 0;
  std::vector<std::string> refused;
};

void take(const fs::path& folder, Seen& seen) {
  const auto data = read_file(folder / "model.onnx");
  ASSERT_TRUE(data.ok());
  const auto model = onnx::read(*data, "model.onnx");
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  const Graph& network = model->main();
  const auto form = transform::to_tflite_form(network);
  if (!form.ok()) {
    EXPECT_EQ(form.error().code, ErrorCode::quant_operator) << to_text(form.error());
    seen.refused.push_back(folder.filename().string() + ": " +
                           (form.error().details.empty() ? "" : form.error().details[0]));
    return;
  }
  ++seen.formed;
  const auto samples = samples_of(folder, network);
  const auto turned = quantize::to_tflite_samples(network, samples);
  const auto wanted = outputs(network, "onnx", samples[1]);
  ASSERT_TRUE(wanted.ok()) << to_text(wanted.error());
  const auto floats = outputs(*form, "tflite", turned[1]);
  ASSERT_TRUE(floats.ok()) << to_text(floats.error());
  const auto reference = channels_last(network, *wanted);
  const auto q = quantize::quantize_tflite(*form, turned, {});
  ASSERT_TRUE(q.ok()) << to_text(q.error());
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < turned[1].size(); ++i) {
    const Value& v = q->model.main().value(q->model.main().inputs[i]);
    inputs.push_back(*exec::convert_input(turned[1][i], v, Shape(v.shape)));
  }
  const auto integers = outputs(q->model.main(), "tflite", inputs);
  ASSERT_TRUE(integers.ok()) << to_text(integers.error());
  for (size_t i = 0; i < floats->size(); ++i) {
    EXPECT_GT(decibels(reference[i], (*floats)[i]), 90.0) << (*floats)[i].name;
    EXPECT_GT(decibels(reference[i], (*integers)[i]), 20.0) << (*floats)[i].name;
    EXPECT_EQ((*integers)[i].dtype, DType::int8);
  }
  const auto file = tflite::write(q->model);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  const auto read = tflite::read(*file, "again");
  ASSERT_TRUE(read.ok()) << to_text(read.error());
  std::string difference;
  EXPECT_TRUE(equal(read->main(), q->model.main(), &difference)) << difference;
  const auto again = outputs(read->main(), "tflite", inputs);
  ASSERT_TRUE(again.ok()) << to_text(again.error());
  for (size_t i = 0; i < again->size(); ++i) EXPECT_EQ((*again)[i].data, (*integers)[i].data);
}

TEST(TfliteQuantize, EveryFloatNetwork) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  Seen seen;
  for (const fs::path& folder : networks()) {
    if (!fs::exists(folder / "model.onnx")) continue;
    SCOPED_TRACE(folder.filename().string());
    take(folder, seen);
  }
  for (const std::string& line : seen.refused) std::cout << line << "\n";
  EXPECT_GE(seen.formed, 54);
}

}  // namespace
}  // namespace edgetwin::golden
