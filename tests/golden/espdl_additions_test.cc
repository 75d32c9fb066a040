// Additions of unequal exponents: what the runtime makes of them, and what their quantizer meant.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "edgetwin/inputs.h"
#include "edgetwin/network.h"
#include "golden/golden.h"
#include "numerics/espdl/espdl.h"

namespace edgetwin::golden {
namespace {

fs::path additions_folder() { return shared_data() / "espdl" / "silicon"; }

Quant exponent_of(int e) {
  Quant q;
  q.scheme = Quant::Scheme::power_of_two;
  q.exponent = {e};
  return q;
}

template <class T, class Unit>
void expect_sums(const nlohmann::json& row, bool real, const char* key) {
  numerics::BinarySpec spec;
  spec.a = exponent_of(row["exponents"][0]);
  spec.b = exponent_of(row["exponents"][1]);
  spec.out = exponent_of(row["exponents"][2]);
  spec.real_additions = real;
  const auto rule = numerics::espdl::Binary<T, Unit>::make(spec);
  ASSERT_TRUE(rule.ok());
  for (size_t i = 0; i < row["a"].size(); ++i) {
    const T got = (*rule)(row["a"][i].get<T>(), row["b"][i].get<T>());
    EXPECT_EQ(got, row[key][i].get<T>())
        << row["exponents"] << " " << row["a"][i] << " + " << row["b"][i] << " " << key;
  }
}

template <class T>
void expect_row(const nlohmann::json& row) {
  expect_sums<T, numerics::espdl::UnitC>(row, false, "runtime_3_3_9");
  expect_sums<T, numerics::espdl::UnitS3>(row, false, "runtime_3_3_9");
  expect_sums<T, numerics::espdl::UnitP4>(row, false, "runtime_3_3_9");
  expect_sums<T, numerics::espdl::UnitC>(row, true, "real_half_up");
  expect_sums<T, numerics::espdl::UnitS3>(row, true, "real_half_up");
  expect_sums<T, numerics::espdl::UnitP4>(row, true, "real_half_even");
}

TEST(EspdlAdditions, RuntimeAndQuantizer) {
  const fs::path facts = additions_folder() / "add_exponents.json";
  if (!fs::exists(facts)) GTEST_SKIP() << "no espdl/silicon in EDGETWIN_SHARED_DATA";
  std::ifstream stream(facts);
  const nlohmann::json rows = nlohmann::json::parse(stream)["element_wise"];
  ASSERT_GE(rows.size(), 11U);
  for (const nlohmann::json& row : rows) {
    if (row["bits"] == 8) {
      expect_row<int8_t>(row);
    } else {
      expect_row<int16_t>(row);
    }
  }
}

double cosine(const Tensor& a, const Tensor& b) {
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (size_t i = 0; i < a.as<int8_t>().size(); ++i) {
    const double x = a.as<int8_t>()[i];
    const double y = b.as<int8_t>()[i];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

Result<Tensor> features(const Network& network, const std::string& input, bool real) {
  RunnerOptions how;
  how.where = Where::twin;
  how.real_additions = real;
  EDGETWIN_TRY_ASSIGN(const auto runner, network.runner(how));
  EDGETWIN_TRY_ASSIGN(const Inputs inputs, read_inputs({input}, *runner));
  EDGETWIN_TRY_ASSIGN(Run run, runner->run(inputs.tensors));
  return std::move(run.outputs.front());
}

// The published log says 0.519167 for two pictures of one person (specification of Add, 3).
TEST(EspdlAdditions, PersonFeaturesAsQuantized) {
  const fs::path model = shared_data() / "espdl" / "upstream" / "person_reid_p4" / "model.espdl";
  const fs::path inputs = additions_folder() / "person_reid";
  if (!fs::exists(model) || !fs::exists(inputs / "p4_hrx1.npy")) {
    GTEST_SKIP() << "no espdl/silicon or person_reid_p4 in EDGETWIN_SHARED_DATA";
  }
  const auto network = Network::open(model.string(), {});
  ASSERT_TRUE(network.ok());
  for (const bool real : {false, true}) {
    const auto one = features(*network, (inputs / "p4_hrx1.npy").string(), real);
    const auto two = features(*network, (inputs / "p4_hrx2.npy").string(), real);
    ASSERT_TRUE(one.ok()) << to_text(one.error());
    ASSERT_TRUE(two.ok());
    EXPECT_NEAR(cosine(*one, *two), real ? 0.534742 : 0.999632, 1e-6);
  }
}

}  // namespace
}  // namespace edgetwin::golden
