// Every recorded template: quantization, constants, operators, side-car values and the output for a
// pseudo-random input.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "base/sha256.h"
#include "golden/golden.h"
#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;
namespace templates = edgetpu::templates;

std::string word_of(const json& v) {
  if (v.is_string()) return v.get<std::string>();
  if (!v.is_array()) return v.dump();
  std::string text;
  for (const json& e : v) text += (text.empty() ? "" : ",") + e.dump();
  return text;
}

void check_metadata(const templates::Metadata& got, const json& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (const auto& [key, value] : got) {
    ASSERT_TRUE(wanted.contains(key)) << key;
    json made;
    std::visit([&made](const auto& v) { made = v; }, value);
    if (wanted[key].is_number_float()) {
      EXPECT_DOUBLE_EQ(made.get<double>(), wanted[key].get<double>()) << key;
    } else {
      EXPECT_EQ(made, wanted[key]) << key;
    }
  }
}

void check_tensor(const Value& v, const json& t, bool colour_filter) {
  if (!colour_filter) {
    EXPECT_EQ(std::vector<int64_t>(v.shape.dims().begin(), v.shape.dims().end()),
              t["shape"].get<std::vector<int64_t>>());
  }
  const std::map<int, DType> types = {{2, DType::int32}, {3, DType::uint8}, {9, DType::int8}};
  EXPECT_EQ(v.dtype, types.at(t["dtype"].get<int>()));
  EXPECT_EQ(v.quant.scale, t["scale"].get<std::vector<float>>());
  EXPECT_EQ(v.quant.zero_point, t["zero_point"].get<std::vector<int64_t>>());
  ASSERT_EQ(v.is_constant(), !t["data_sha256"].is_null());
  if (v.is_constant()) {
    EXPECT_EQ(sha256_hex(*v.constant), t["data_sha256"].get<std::string>());
  }
}

void check_operators(const Graph& graph, const json& operators) {
  ASSERT_EQ(graph.ops.size(), operators.size());
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    EXPECT_EQ(op_type_name(graph.ops[i]), operators[i]["op"].get<std::string>());
    EXPECT_EQ(graph.ops[i].inputs, operators[i]["inputs"].get<std::vector<ValueId>>());
    EXPECT_EQ(graph.ops[i].outputs, operators[i]["outputs"].get<std::vector<ValueId>>());
  }
}

// The written file is read again and run.
void check_output(const Model& model, const json& c) {
  const auto file = tflite::write(model);
  ASSERT_TRUE(file.ok()) << to_text(file.error());
  auto again = tflite::read(*file, "template");
  ASSERT_TRUE(again.ok()) << to_text(again.error());
  if (!c.contains("output")) return;
  auto graph = std::make_shared<const Graph>(std::move(again->graphs.front()));
  auto session = exec::Session::create(graph, {});
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  const auto inputs = case_inputs(*session, c["input"], {});
  ASSERT_TRUE(inputs.ok());
  const Status ran = run(*session, *inputs);
  ASSERT_TRUE(ran.ok()) << to_text(ran.error());
  EXPECT_EQ(sha256_hex(session->output(0).data), c["output"]["sha256"].get<std::string>());
}

TEST(EdgetpuTemplates, RecordedCases) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  std::ifstream file(shared_data() / "tflite" / "builders.json");
  const json cases = json::parse(file)["cases"];
  ASSERT_GE(cases.size(), 15U);
  for (const json& c : cases) {
    SCOPED_TRACE(c["id"].get<std::string>());
    std::vector<std::pair<std::string, std::string>> words;
    for (const auto& [name, value] : c["args"].items()) words.emplace_back(name, word_of(value));
    const auto made = templates::build(c["builder"].get<std::string>(), words);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    check_metadata(made->metadata, c["metadata"]);
    const Graph& graph = made->model.main();
    ASSERT_EQ(graph.values.size(), c["tensors"].size());
    for (size_t i = 0; i < graph.values.size(); ++i) {
      SCOPED_TRACE("tensor " + std::to_string(i));
      const bool colour = c["args"].contains("color_weights") && graph.values[i].name == "filter";
      check_tensor(graph.values[i], c["tensors"][i], colour);
    }
    check_operators(graph, c["operators"]);
    EXPECT_EQ(graph.inputs, c["inputs"].get<std::vector<ValueId>>());
    EXPECT_EQ(graph.outputs, c["outputs"].get<std::vector<ValueId>>());
    check_output(made->model, c);
  }
}

}  // namespace
}  // namespace edgetwin::golden
