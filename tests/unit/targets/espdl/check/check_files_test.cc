// Rules and embedded test values on recorded files.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "formats/espdl/read/read.h"
#include "golden/golden.h"
#include "targets/espdl/check/check.h"
#include "targets/espdl/export/test_values.h"

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::Document;
using edgetwin::espdl::ModelFile;
using edgetwin::espdl::Target;
using nlohmann::json;

struct Recorded {
  std::string id;
  Target target = Target::c;
  int bits = 8;
  bool upstream = false;
  ModelFile model;
  std::vector<Finding> findings;

  int count(Rule rule) const {
    return static_cast<int>(std::count_if(findings.begin(), findings.end(),
                                          [&](const Finding& f) { return f.id == info(rule).id; }));
  }
};

std::vector<Recorded> load() {
  std::vector<Recorded> all;
  const golden::fs::path root = golden::shared_data() / "espdl";
  for (const char* index : {"cases.json", "upstream_cases.json"}) {
    std::ifstream stream(root / index);
    for (const json& c : json::parse(stream)) {
      Recorded r;
      r.id = c["id"];
      r.target = *edgetwin::espdl::target_by_name(c["target"].get<std::string>());
      r.bits = c.value("bits", 8);
      r.upstream = std::string_view(index).starts_with("upstream");
      const golden::fs::path file =
          root / c["dir"].get<std::string>() / c.value("file", "model.espdl");
      const auto data = read_file(file);
      auto container = edgetwin::espdl::read(data.value(), r.id);
      r.model = std::move(container.value().models[0]);
      r.findings = check(r.model, r.target);
      all.push_back(std::move(r));
    }
  }
  return all;
}

class RecordedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  }
  static const std::vector<Recorded>& all() {
    static const std::vector<Recorded> kAll = load();
    return kAll;
  }
  static const Recorded& of(const std::string& id) {
    return *std::find_if(all().begin(), all().end(), [&](const Recorded& r) { return r.id == id; });
  }
};

TEST_F(RecordedFiles, ShowTheKnownFacts) {
  ASSERT_GE(all().size(), 230U);
  const Recorded& person = of("person_reid_p4");
  // Thirteen additions, and one finding about the whole model: it was quantized with Align to
  // Large.
  EXPECT_EQ(person.count(Rule::group_exponents), 14);
  int of_additions = 0;
  for (const Finding& f : person.findings) {
    if (f.id != info(Rule::group_exponents).id) continue;
    const bool addition = f.place.layer.find(" Add ") != std::string::npos;
    of_additions += addition ? 1 : 0;
    EXPECT_TRUE(addition || f.message.find("Align to Large") != std::string::npos) << f.message;
  }
  EXPECT_EQ(of_additions, 13);
  for (const Recorded& r : all()) {
    const auto named = [&](const char* prefix) { return r.id.starts_with(prefix); };
    EXPECT_EQ(r.count(Rule::resize_int16), named("resize_") && r.bits == 16 ? 1 : 0) << r.id;
    EXPECT_EQ(r.count(Rule::depth_to_space_dcr), named("depth_space") ? 1 : 0) << r.id;
    EXPECT_TRUE(!named("mul_sub") || r.count(Rule::group_exponents) == 1) << r.id;
    const bool ignored = named("sigmoid16") || named("tanh16") || named("swish16") ||
                         named("conv16_swish") || named("hardswish16");
    EXPECT_TRUE(!ignored || r.count(Rule::lut_ignored) > 0) << r.id;
    EXPECT_TRUE(!named("avgpool_a") || r.count(Rule::count_include_pad) == 1) << r.id;
  }
  EXPECT_GT(of("mobilenetv2_s3").count(Rule::partial_sums), 0);
}

// Errors only where the runtime has no result.
TEST_F(RecordedFiles, HaveErrorsOnlyWhereNoResultIsRecorded) {
  for (const Recorded& r : all()) {
    const bool refused = r.count(Rule::resize_int16) != 0 || r.count(Rule::depth_to_space_dcr) != 0;
    for (const Finding& f : r.findings) {
      EXPECT_TRUE(f.severity != Severity::error || refused)
          << r.id << ": " << f.id << " " << to_text(f.place) << ": " << f.message;
      EXPECT_FALSE(f.id.empty());
    }
  }
}

// No other target crashes the check.
TEST_F(RecordedFiles, CanBeCheckedForEveryTarget) {
  size_t foreign = 0;
  for (size_t i = 0; i < all().size(); i += 3) {
    for (const Target target : {Target::c, Target::esp32s3, Target::esp32p4}) {
      const auto findings = check(all()[i].model, target);
      for (const Finding& f : findings) foreign += f.id == info(Rule::weights_order).id ? 1 : 0;
    }
  }
  EXPECT_GT(foreign, 0U);
}

Result<EmbeddedTest> run(const Recorded& r) {
  EDGETWIN_TRY_ASSIGN(const Model model,
                      edgetwin::espdl::import_document(r.model.document, r.target, r.id));
  exec::Options options;
  options.numerics = r.target == Target::c         ? "espdl-c"
                     : r.target == Target::esp32s3 ? "espdl-s3-wide"
                                                   : "espdl-p4-wide";
  options.runtime = 30307;  // the quantizer's tables interpolate
  return run_embedded_test(r.model.document, model, options);
}

TEST_F(RecordedFiles, PassTheirOwnTestValues) {
  // Known to differ: quantizer and runtime disagree.
  const std::set<std::string> differing = {"mul_sub_a_c_s8",        "mul_sub_a_esp32p4_s8",
                                           "mul_sub_a_esp32s3_s8",  "mul_sub_a_c_s16",
                                           "mul_sub_a_esp32p4_s16", "mul_sub_a_esp32s3_s16",
                                           "prelu_a_c_s8",          "prelu_a_esp32s3_s8"};
  int upstream = 0;
  int exact = 0;
  for (const Recorded& r : all()) {
    if (r.model.document.test_outputs.empty()) continue;
    const bool undefined =
        r.count(Rule::resize_int16) != 0 || r.count(Rule::depth_to_space_dcr) != 0;
    const auto test = run(r);
    ASSERT_EQ(test.ok(), !undefined) << r.id;
    if (undefined) continue;
    EXPECT_EQ(test->passes(), !differing.contains(r.id)) << r.id;
    const bool softmax = r.id.starts_with("softmax");
    const bool equal = r.upstream || (r.bits == 8 && !softmax && !differing.contains(r.id));
    EXPECT_TRUE(!equal || test->exact()) << r.id;
    upstream += r.upstream ? 1 : 0;
    exact += test->exact() ? 1 : 0;
  }
  EXPECT_GE(upstream, 13);
  EXPECT_GE(exact, 150);
}

TEST_F(RecordedFiles, TellTheirTargetOrNothing) {
  std::map<Target, int> told;
  for (const Recorded& r : all()) {
    if (r.target == Target::c || r.model.document.test_outputs.empty()) continue;
    const auto found = target_by_test(r.model.document);
    if (!found.ok() || !*found) continue;
    EXPECT_EQ(**found, r.target) << r.id;
    ++told[r.target];
  }
  EXPECT_GE(told[Target::esp32s3], 20);
  EXPECT_GE(told[Target::esp32p4], 40);
  EXPECT_EQ(*target_by_test(of("streaming_model_esp32p4").model.document), Target::esp32p4);
}

}  // namespace
}  // namespace edgetwin::targets::espdl
