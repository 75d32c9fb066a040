// Every recorded case of the TensorFlow Lite reference kernels: single operators, whole models and
// their intermediate tensors, in every instruction set of this machine. Equality, not tolerance.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "golden/golden.h"
#include "kernels/isa.h"
#include "verify/compare.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

json load_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

fs::path find_model(const std::string& name, const std::string& sha256) {
  for (const auto& entry : fs::recursive_directory_iterator(shared_data() / "edgetpu" / "models")) {
    if (entry.path().filename() != name) continue;
    const auto bytes = read_file(entry.path());
    if (bytes.ok() && sha256_hex(*bytes) == sha256) return entry.path();
  }
  return {};
}

// Float results of the detection operator come from another runtime's exp().
double tolerance_of(const json& c) { return c.contains("custom_inputs") ? 1e-5 : 0.0; }

void expect_equal(const Tensor& got, const fs::path& file, const std::string& what, double tolerance) {
  auto wanted = load_npy(file);
  ASSERT_TRUE(wanted.ok()) << to_text(wanted.error());
  Tensor actual = got;
  // Class maps with small values are stored as bytes.
  if (wanted->dtype == DType::uint8 && actual.dtype == DType::int64) {
    Tensor narrow = *Tensor::zeros(DType::uint8, actual.shape);
    for (size_t i = 0; i < narrow.data.size(); ++i) {
      narrow.as<uint8_t>()[i] = static_cast<uint8_t>(actual.as<int64_t>()[i]);
    }
    actual = std::move(narrow);
  }
  const verify::TensorDiff d = verify::compare(actual, *wanted, tolerance);
  EXPECT_TRUE(d.equal()) << what << ": " << d.problem << " " << d.different << " of " << d.elements
                         << " differ, first at " << d.first_position << ": " << d.first_a << " / "
                         << d.first_b;
}

// Outputs of the operator that the case stores; "tensor" names an operand of a custom operator.
const Tensor stored_tensor(const exec::Session& session, const json& output, size_t index) {
  if (!output.contains("tensor")) return session.output(index);
  return session.tensor(output["tensor"].get<ValueId>());
}

void check_outputs(const exec::Session& session, const json& c, const fs::path& folder) {
  const json& outputs = c["outputs"];
  for (size_t i = 0; i < outputs.size(); ++i) {
    expect_equal(stored_tensor(session, outputs[i], i), folder / outputs[i]["file"].get<std::string>(),
                 c["id"].get<std::string>() + " output " + std::to_string(i), tolerance_of(c));
  }
  if (!c.contains("intermediates")) return;
  for (const json& t : c["intermediates"]) {
    expect_equal(session.tensor(t["tensor"].get<ValueId>()), folder / t["file"].get<std::string>(),
                 c["id"].get<std::string>() + " tensor " + t["name"].get<std::string>(), 0.0);
  }
}

void run_case(const json& c, const fs::path& model, const fs::path& folder, const exec::Options& options) {
  SCOPED_TRACE(c["id"].get<std::string>() + " isa '" + options.isa + "' threads " +
               std::to_string(options.threads));
  auto graph = load_graph(model);
  ASSERT_TRUE(graph.ok()) << to_text(graph.error());
  auto session = exec::Session::create(*graph, options);
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  const fs::path picture = folder / c.value("input_file", std::string());
  auto inputs = case_inputs(*session, c["input"], picture);
  ASSERT_TRUE(inputs.ok()) << to_text(inputs.error());
  const Status done = run(*session, *inputs);
  ASSERT_TRUE(done.ok()) << to_text(done.error());
  check_outputs(*session, c, folder);
}

std::vector<exec::Options> all_options() {
  std::vector<exec::Options> result{{.fast = false, .keep_all = true}, {.threads = 2, .keep_all = true}};
  for (const kernels::Isa isa : kernels::available_isas()) {
    result.push_back({.isa = std::string(kernels::name(isa)), .keep_all = true});
  }
  return result;
}

TEST(TfliteCases, SingleOperators) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = shared_data() / "tflite" / "ops";
  int count = 0;
  for (const json& c : load_json(folder / "cases.json")["cases"]) {
    for (const exec::Options& options : all_options()) {
      run_case(c, folder / c["model"].get<std::string>(), folder, options);
    }
    ++count;
  }
  EXPECT_GE(count, 180);
}

TEST(TfliteCases, WholeModels) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = shared_data() / "tflite";
  int count = 0;
  for (const json& c : load_json(folder / "cases.json")["cases"]) {
    const fs::path model = find_model(c["model"], c["model_sha256"]);
    if (model.empty()) continue;
    run_case(c, model, folder, {.threads = 2, .keep_all = true});
    ++count;
  }
  EXPECT_GE(count, 80);
}

}  // namespace
}  // namespace edgetwin::golden
