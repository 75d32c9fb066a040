// Every recorded case of the TensorFlow Lite reference kernels: single operators, whole models and
// their intermediate tensors, in every instruction set of this machine. Equality, not tolerance.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "golden/golden.h"
#include "golden/json_file.h"
#include "instrumented.h"
#include "kernels/core/isa.h"
#include "verify/compare.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

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

void expect_equal(const Tensor& got, const fs::path& file, const std::string& what,
                  double tolerance) {
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

// The operator whose operands some cases store: the only one of its model that is custom.
const Op* custom_op(const Graph& graph) {
  for (const Op& op : graph.ops) {
    if (op.kind == OpKind::posenet_decoder || op.kind == OpKind::detection_postprocess) return &op;
  }
  return nullptr;
}

// "tensor": "input 2 of the custom op"; otherwise the graph's own output.
Tensor stored_tensor(const exec::Session& session, const json& output, size_t index) {
  if (!output.contains("tensor")) return session.output(index);
  const size_t operand = std::stoul(output["tensor"].get<std::string>().substr(6));
  return session.tensor(custom_op(session.graph())->inputs[operand]);
}

void check_custom_inputs(const exec::Session& session, const json& c, const fs::path& folder) {
  if (!c.contains("custom_inputs")) return;
  size_t i = 0;
  for (const json& file : c["custom_inputs"]) {
    expect_equal(session.tensor(custom_op(session.graph())->inputs[i++]),
                 folder / file.get<std::string>(), "operand of the custom operator", 0.0);
  }
}

// The poses of the original decoder, as far as there are any; coordinates in pixels. Both sides are
// single precision, but exp() and the order of sums differ: 1e-3 of a pixel, 1e-5 of a score.
void check_poses(const exec::Session& session, const json& c, const fs::path& folder) {
  if (!c.contains("posenet_decoder")) return;
  const json& d = c["posenet_decoder"];
  EXPECT_EQ(session.output(3).as<float>()[0], d["count"].get<float>());
  const std::array<std::pair<const char*, double>, 3> kParts = {
      {{"keypoints_yx", 1e-3}, {"keypoint_scores", 1e-5}, {"pose_scores", 1e-5}}};
  for (size_t i = 0; i < kParts.size(); ++i) {
    auto wanted = load_npy(folder / d[kParts[i].first].get<std::string>());
    ASSERT_TRUE(wanted.ok()) << to_text(wanted.error());
    const Tensor got = session.output(i);
    for (size_t k = 0; k < wanted->as<float>().size(); ++k) {
      ASSERT_NEAR(got.as<float>()[k], wanted->as<float>()[k], kParts[i].second)
          << kParts[i].first << " element " << k;
    }
  }
}

// What single rounding gives is stored where it differs, and noted as no difference elsewhere;
// empty where the case has no such result.
std::string expected_file(const json& output, const exec::Options& options) {
  if (options.numerics == "tflite") return output["file"];
  const json compare = output.value("compare", json::object());
  if (!compare.contains("single_rounding") || compare["single_rounding"].is_null()) return "";
  const json& single = compare["single_rounding"];
  if (single.contains("file")) return single["file"];
  return single["n_diff"] == 0 ? output["file"].get<std::string>() : "";
}

void check_intermediates(const exec::Session& session, const json& c, const fs::path& folder) {
  if (!c.contains("intermediates")) return;
  for (const json& t : c["intermediates"]) {
    expect_equal(session.tensor(t["tensor"].get<ValueId>()), folder / t["file"].get<std::string>(),
                 c["id"].get<std::string>() + " tensor " + t["name"].get<std::string>(), 0.0);
  }
}

void check_outputs(const exec::Session& session, const json& c, const fs::path& folder) {
  const json& outputs = c["outputs"];
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string file = expected_file(outputs[i], session.options());
    if (file.empty()) continue;
    expect_equal(stored_tensor(session, outputs[i], i), folder / file,
                 c["id"].get<std::string>() + " output " + std::to_string(i), tolerance_of(c));
  }
  if (session.options().numerics != "tflite") return;
  check_custom_inputs(session, c, folder);
  check_poses(session, c, folder);
  check_intermediates(session, c, folder);
}

void run_case(const json& c, const fs::path& model, const fs::path& folder,
              const exec::Options& options) {
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

// One run of everything per implementation: "plain", each instruction set, two threads, and the
// other rounding.
class TfliteCases : public testing::TestWithParam<std::string> {
 protected:
  static exec::Options options() {
    exec::Options o{.keep_all = true};
    if (GetParam() == "plain") o.fast = false;
    if (GetParam() == "threads") o.threads = 2;
    if (GetParam() == "single_rounding") o.numerics = "tflite-single";
    if (const auto isa = kernels::isa_by_name(GetParam()); isa) o.isa = GetParam();
    return o;
  }
};

std::vector<std::string> case_implementations() {
  std::vector<std::string> names{"threads", "single_rounding"};
  for (const kernels::Isa isa : kernels::available_isas()) names.emplace_back(kernels::name(isa));
  return names;
}

TEST_P(TfliteCases, SingleOperators) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = shared_data() / "tflite" / "ops";
  const json cases = load_json(folder / "cases.json");
  for (const json& c : cases["cases"]) {
    run_case(c, folder / c["model"].get<std::string>(), folder, options());
  }
  EXPECT_GE(cases["cases"].size(), 180U);
}

constexpr uintmax_t kLargeModel = uintmax_t{1} << 20U;

TEST_P(TfliteCases, WholeModels) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path folder = shared_data() / "tflite";
  const json cases = load_json(folder / "cases.json");
  int count = 0;
  for (const json& c : cases["cases"]) {
    const fs::path model = find_model(c["model"], c["model_sha256"]);
    if (model.empty()) continue;
    // Minutes under sanitizers; small models have the same operators.
    if (kInstrumented && fs::file_size(model) > kLargeModel) continue;
    run_case(c, model, folder, options());
    ++count;
  }
  EXPECT_GE(count, kInstrumented ? 8 : 80);
}

INSTANTIATE_TEST_SUITE_P(, TfliteCases, testing::ValuesIn(case_implementations()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace edgetwin::golden
