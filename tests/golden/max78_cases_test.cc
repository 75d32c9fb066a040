// Every recorded case: all layers of the simulation, the register program, the known answer and
// the order of unloading, each equal in every byte.
#include "golden/max78_cases.h"

#include <gtest/gtest.h>

#include "targets/max78/analysis/statistics.h"

namespace edgetwin::golden {
namespace {

using namespace max78;  // NOLINT

// The cases are 115 and all are equal in all four; a smaller number here is a step back.
constexpr size_t kCases = 115;

class Max78Cases : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
    cases_ = max78_cases();
    ASSERT_EQ(cases_.size(), kCases);
  }

  // Each case without errors, in turn.
  template <class Body>
  void each(const Body& body) {
    for (const auto& row : cases_) {
      SCOPED_TRACE(row["name"].get<std::string>());
      const auto device =
          row["device"] == "MAX78000" ? ai8x::Device::max78000 : ai8x::Device::max78002;
      const auto c = load_case(row, device, row["options"]);
      ASSERT_EQ(c->refused, "");
      body(row, *c);
    }
  }

  static fs::path goldens(const nlohmann::json& row) {
    return max78_root() / row["goldens"].get<std::string>();
  }

  nlohmann::json cases_;
};

void expect_same(const Tensor& ours, const Tensor& theirs) {
  SCOPED_TRACE(theirs.name);
  ASSERT_EQ(ours.shape.elements(), theirs.shape.elements());
  for (int64_t i = 0; i < theirs.shape.elements(); ++i) {
    ASSERT_EQ(element_as_double(ours.dtype, ours.data, i),
              element_as_double(theirs.dtype, theirs.data, i))
        << "at " << i;
  }
}

// By the names of the recorded archive.
std::map<std::string, const Tensor*> by_name(const SimulationResult& result) {
  std::map<std::string, const Tensor*> all;
  for (const max78::LayerResult& l : result.layers) {
    std::string stem = std::to_string(l.layer);
    stem = "L" + std::string(3 - stem.size(), '0') + stem;
    if (!l.pool.data.empty()) all[stem + ".pool"] = &l.pool;
    if (!l.elt.data.empty()) all[stem + ".elt"] = &l.elt;
    all[stem + ".out"] = &l.out;
  }
  return all;
}

void check_layers(const fs::path& folder, const Max78Case& c, bool plain) {
  auto simulation = Simulation::make(c.plan(), {.plain = plain});
  ASSERT_TRUE(simulation.ok()) << to_text(simulation.error());
  const auto result = simulation->run(c.sample);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  const auto data = read_file(folder / "layers.npz");
  ASSERT_TRUE(data.ok());
  const auto recorded = read_npz(*data, "layers.npz");
  ASSERT_TRUE(recorded.ok());
  const auto ours = by_name(*result);
  EXPECT_EQ(ours.size(), recorded->size());
  for (const Tensor& theirs : *recorded) {
    const auto found = ours.find(theirs.name);
    ASSERT_NE(found, ours.end()) << theirs.name;
    expect_same(*found->second, theirs);
  }
  if (!fs::exists(folder / "output.npy")) return;
  const auto output = load_npy(folder / "output.npy");
  ASSERT_TRUE(output.ok());
  expect_same(result->layers.back().out, *output);
  EXPECT_EQ(result->layers.back().out.shape, output->shape);
}

TEST_F(Max78Cases, EveryLayerIsEqual) {
  each([](const auto& row, const Max78Case& c) { check_layers(goldens(row), c, false); });
}

TEST_F(Max78Cases, EveryLayerIsEqualByThePlainOperators) {
  each([](const auto& row, const Max78Case& c) {
    if (row["set"] == "synthetic") check_layers(goldens(row), c, true);
  });
}

TEST_F(Max78Cases, ProgramsAreEqual) {
  each([](const auto& row, const Max78Case& c) {
    const auto program = make_program(c.plan(), c.sample);
    ASSERT_TRUE(program.ok());
    // Not EXPECT_EQ: its message would be megabytes long.
    EXPECT_TRUE(to_text(*program) == gunzip(goldens(row) / "program.txt.gz"));
  });
}

// Depthwise layers with biases whose first processor is not in group 0.
TEST_F(Max78Cases, DepthwiseBiasesAreEqual) {
  const std::string folder = "depthwise_bias/dw-b219504/";
  const nlohmann::json row = {{"yaml", folder + "network.yaml"},
                              {"weights", folder + "weights.npy"},
                              {"bias", folder + "bias.npy"},
                              {"sample", folder + "input.npy"},
                              {"goldens", folder}};
  const auto c = load_case(row, ai8x::Device::max78002, {"--no-mexpress"});
  ASSERT_EQ(c->refused, "");
  check_layers(goldens(row), *c, false);
  const auto program = make_program(c->plan(), c->sample);
  ASSERT_TRUE(program.ok());
  EXPECT_TRUE(to_text(*program) == gunzip(goldens(row) / "program.txt.gz"));
}

TEST_F(Max78Cases, KnownAnswersAreEqual) {
  size_t compared = 0;
  each([&](const auto& row, const Max78Case& c) {
    if (!fs::exists(goldens(row) / "expected.txt.gz")) return;
    auto simulation = Simulation::make(c.plan(), {.trace = false});
    ASSERT_TRUE(simulation.ok());
    const auto result = simulation->run(c.sample);
    ASSERT_TRUE(result.ok());
    const auto runs = expected_words(c.plan(), outputs_of(c.plan(), *result));
    EXPECT_TRUE(expected_text(runs) == gunzip(goldens(row) / "expected.txt.gz"));
    ++compared;
  });
  EXPECT_EQ(compared, 114U);
}

void expect_operations(const Operations& ours, const nlohmann::json& theirs) {
  EXPECT_EQ(ours.macc, theirs["macc"]);
  EXPECT_EQ(ours.comp, theirs["comp"]);
  EXPECT_EQ(ours.add, theirs["add"]);
  EXPECT_EQ(ours.mul, theirs["mul"]);
  EXPECT_EQ(ours.bitwise, theirs["bitwise"]);
}

TEST_F(Max78Cases, StatisticsAreEqual) {
  each([](const auto& row, const Max78Case& c) {
    const auto meta = nlohmann::json::parse(read_text(goldens(row) / "meta.json"));
    const auto& ops = meta["ops"];
    const Statistics s = statistics(c.plan());
    EXPECT_EQ(s.weight_bytes, ops["weight_bytes"]);
    EXPECT_EQ(s.weight_bytes_total, ops["weight_bytes_total"]);
    EXPECT_EQ(s.bias_bytes, ops["bias_bytes"]);
    EXPECT_EQ(s.bias_bytes_total, ops["bias_bytes_total"]);
    expect_operations(s.operations, ops["hardware"]);
    const auto& cycles = meta["cycles"];
    for (const LayerStatistics& l : s.layers) {
      const std::string key = std::to_string(l.layer);
      if (ops["layers"].contains(key)) expect_operations(l.operations, ops["layers"][key]);
      if (cycles.contains(key)) {
        EXPECT_EQ(l.cycles, cycles[key]) << key;
      }
    }
    if (cycles.contains("total")) {
      EXPECT_EQ(s.cycles, cycles["total"]);
    }
  });
}

TEST_F(Max78Cases, UnloadingIsEqual) {
  size_t compared = 0;
  each([&](const auto& row, const Max78Case& c) {
    if (!fs::exists(goldens(row) / "unload_reads.txt.gz")) return;
    EXPECT_TRUE(unload_text(unload_accesses(c.plan())) ==
                gunzip(goldens(row) / "unload_reads.txt.gz"));
    ++compared;
  });
  EXPECT_EQ(compared, 113U);
}

}  // namespace
}  // namespace edgetwin::golden
