// The machine on every recorded register program: after it ran, every word of the known answer
// holds; and no bit of the registers means anything that the machine does not look at.
#include <gtest/gtest.h>

#include "golden/max78_cases.h"
#include "targets/max78/chip/regs.h"
#include "targets/max78/machine/compare/side_by_side.h"
#include "targets/max78/machine/player/dump.h"
#include "targets/max78/machine/state/finding_list.h"

namespace edgetwin::golden {
namespace {

using namespace max78;  // NOLINT

class Max78Machines : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
    cases_ = max78_cases();
  }

  template <class Body>
  void each(const Body& body) {
    for (const auto& row : cases_) {
      const std::string name = row["name"];
      SCOPED_TRACE(name);
      const fs::path folder = max78_root() / row["goldens"].get<std::string>();
      const auto program = read_program(gunzip(folder / "program.txt.gz"), name);
      ASSERT_TRUE(program.ok()) << to_text(program.error());
      body(row, folder, *program);
    }
  }

  nlohmann::json cases_;
};

// An element-wise layer that has all its operands from one layer: the vendor's simulation takes
// its channels in blocks, one per operand, but the registers take its pixels in turns. Their known
// answers contradict their programs.
bool splits_one_source(const nlohmann::json& meta) {
  const auto& layers = meta["layers_config"];
  for (size_t i = 1; i < layers["operands"].size(); ++i) {
    const auto& sources = layers["in_sequences"][i];
    const bool one = sources.is_null() || (sources.is_array() && sources.size() == 1);
    if (layers["operands"][i] > 1 && one && layers["write_gap"][i - 1] == 0) return true;
  }
  return false;
}

TEST_F(Max78Machines, EveryExpectedWordHolds) {
  size_t compared = 0, contradicting = 0;
  each([&](const nlohmann::json&, const fs::path& folder, const ProgramText& program) {
    Machine machine(program.device);
    const Status played = play(program, machine);
    ASSERT_TRUE(played.ok()) << to_text(played.error());
    EXPECT_GT(machine.layers_done(), 0);
    for (const Finding& f : machine.findings()) {
      EXPECT_EQ(f.severity, Severity::note) << f.id << " " << f.message;
    }
    const auto expected = read_expected(gunzip(folder / "expected.txt.gz"), "expected.txt");
    ASSERT_TRUE(expected.ok()) << to_text(expected.error());
    if (expected->empty()) return;
    const Comparison c = compare(machine, *expected);
    if (splits_one_source(nlohmann::json::parse(read_text(folder / "meta.json")))) {
      EXPECT_FALSE(c.equal());
      ++contradicting;
      return;
    }
    EXPECT_TRUE(c.equal()) << c.different << " of " << c.words << "; "
                           << (c.first.empty() ? "" : describe(c.first[0]));
    ++compared;
  });
  EXPECT_EQ(compared, 113U);
  EXPECT_EQ(contradicting, 1U);
}

// Every bit that the vendor's programs set belongs to a field, and the machine reads that field.
// What only people read: wait states, timing and the like.
TEST_F(Max78Machines, EveryFieldIsRead) {
  std::set<std::string> used;
  std::set<std::string> read;
  each([&](const nlohmann::json&, const fs::path&, const ProgramText& program) {
    Machine machine(program.device);
    ASSERT_TRUE(play(program, machine).ok());
    for (size_t i = 0; i < reg_fields().size(); ++i) {
      const FieldInfo& f = reg_fields()[i];
      if (machine.fields_read().test(i))
        read.insert(std::string(f.reg) + "." + std::string(f.name));
    }
    const bool small = program.device == Device::max78000;
    for (const RegisterValue& r : summarize(program).registers) {
      uint64_t known = 0;
      for (const FieldInfo& f : reg_fields()) {
        const int bits = small ? f.small : f.large;
        if (f.reg == r.name) known |= ((uint64_t{1} << bits) - 1) << f.low;
      }
      EXPECT_EQ(r.value & ~known, 0U) << r.name << " of layer " << r.layer;
      for (const FieldValue& f : r.fields) {
        used.insert(std::string(r.name) + "." + std::string(f.name));
      }
    }
  });
  const std::set<std::string> for_people = {
      "ctl.ready",           "ctl.external_ready", "ctl.no_pipeline",    "ctl.stream_chw",
      "ctl.external_sync",   "ctl.streaming",      "ctl.fifo_streaming", "ctl.simple_one_bit",
      "ctl.fast_fifo_group", "sram.timing",        "sram_test.test"};
  for (const std::string& f : used) {
    EXPECT_TRUE(read.contains(f) || for_people.contains(f)) << f;
  }
}

// Machine and network side by side: all layers of every case agree.
TEST_F(Max78Machines, EveryLayerAgreesWithTheNetwork) {
  size_t layers = 0;
  each([&](const nlohmann::json& row, const fs::path& folder, const ProgramText& program) {
    if (row["set"] != "synthetic") return;
    const auto c = load_case(row, program.device, row["options"]);
    ASSERT_EQ(c->refused, "");
    const auto result = Simulation::make(c->plan(), {})->run(c->sample);
    ASSERT_TRUE(result.ok());
    Machine machine(program.device);
    const auto both = run_side_by_side(program, machine, c->plan(), result->layers);
    ASSERT_TRUE(both.ok());
    if (splits_one_source(nlohmann::json::parse(read_text(folder / "meta.json")))) {
      EXPECT_EQ(both->first, 1);
      return;
    }
    EXPECT_EQ(both->first, -1);
    for (const LayerAgreement& a : both->layers) {
      const LayerPlan& l = c->plan().layer(a.layer);
      EXPECT_EQ(a.values, static_cast<uint64_t>(l.out_channels) *
                              static_cast<uint64_t>(l.out_dim.h * l.out_dim.w))
          << "layer " << a.layer;
      ++layers;
    }
  });
  EXPECT_GT(layers, 300U);
}

// A wrong out_offset: one layer writes into another's result. The layer that then reads it is
// named before any board is.
TEST_F(Max78Machines, AnOffsetThatOverlapsIsFound) {
  for (const auto& row : cases_) {
    if (row["name"] != "test-mpadd3-192") continue;
    const fs::path folder = max78_root() / row["goldens"].get<std::string>();
    auto program = read_program(gunzip(folder / "program.txt.gz"), "program.txt");
    ASSERT_TRUE(program.ok());
    const Limits& chip = chip_limits(program->device);
    // Layer 2 begins where layer 1 does.
    uint32_t place = 0;
    for (auto& part : program->parts) {
      for (auto& l : part.accesses) {
        if (l.access.address == address(chip, LayerReg::wptr_base, 0, 1)) place = l.access.value;
        for (int g = 0; g < kGroups; ++g) {
          if (l.access.address != address(chip, LayerReg::wptr_base, g, 2)) continue;
          l.access.value = place;
        }
      }
    }
    Machine machine(program->device);
    ASSERT_TRUE(play(*program, machine).ok());
    bool found = false;
    for (const Finding& f : machine.findings()) {
      found = found || f.severity == Severity::error || f.id == info(MachineEvent::dead_result).id;
    }
    EXPECT_TRUE(found);
    const auto expected = read_expected(gunzip(folder / "expected.txt.gz"), "expected.txt");
    ASSERT_TRUE(expected.ok());
    EXPECT_FALSE(compare(machine, *expected).equal());
    return;
  }
  FAIL() << "the case is not there";
}

}  // namespace
}  // namespace edgetwin::golden
