// Recorded networks as firmware: what the processor writes is the recorded register program, the
// firmware's own check passes, and unloading gives the recorded results.
// EDGETWIN_FIRMWARE_CASES=all runs every recorded network, another value those with it in the name.
#include <gtest/gtest.h>

#include <iostream>

#include "firmware/prepared.h"

namespace edgetwin::firmware {
namespace {

using nlohmann::json;

// What firmware can have; for each of it and each device, the network with the shortest register
// program is run.
constexpr const char* kFeatures[] = {
    "fifo",  "fast-fifo",     "streaming",       "mlator",    "byte-swapper", "32-bit-output",
    "riscv", "multi-pass-in", "compact-weights", "zero-sram", "energy",       "no-mexpress"};

fs::path goldens_of(const json& row) {
  return golden::max78_root() / row["goldens"].get<std::string>();
}

const json* shortest_with(const json& rows, const char* feature, const char* device) {
  const json* best = nullptr;
  uintmax_t best_size = 0;
  for (const json& row : rows) {
    const auto features = row["features"].get<std::set<std::string>>();
    if (row["device"] != device || !features.contains(feature)) continue;
    const uintmax_t size = fs::file_size(goldens_of(row) / "program.txt.gz");
    if (best != nullptr && size >= best_size) continue;
    best = &row;
    best_size = size;
  }
  return best;
}

std::vector<json> chosen_cases() {
  const json all = golden::max78_cases();
  const char* wish = std::getenv("EDGETWIN_FIRMWARE_CASES");
  std::vector<json> chosen;
  if (wish != nullptr) {
    for (const json& row : all) {
      const bool wanted = row["name"].get<std::string>().find(wish) != std::string::npos;
      if (wanted || std::string(wish) == "all") chosen.push_back(row);
    }
    return chosen;
  }
  std::set<std::string> names;
  for (const char* feature : kFeatures) {
    for (const char* device : {"MAX78000", "MAX78002"}) {
      const json* row = shortest_with(all, feature, device);
      if (row != nullptr && names.insert((*row)["name"]).second) chosen.push_back(*row);
    }
  }
  return chosen;
}

// The buffer of cnn_unload holds what was recorded of the vendor's.
void expect_unloaded(const Prepared& p, const Ran& ran, const fs::path& goldens) {
  const auto recorded = golden::load_npy(goldens / "unload.npy");
  if (!recorded.ok()) return;
  const size_t size = p.result_bytes();
  ASSERT_GE(ran.unloaded.size(), size);
  ASSERT_GE(recorded->data.size(), size);
  EXPECT_EQ(std::memcmp(ran.unloaded.data(), recorded->data.data(), size), 0);
}

// Power steps as they were recorded, "cnn_enable GCFR.reg3 = 0xf", and the clock's divider.
void expect_power(const Ran& ran, const fs::path& goldens) {
  const json meta = json::parse(golden::read_text(goldens / "meta.json"));
  const std::map<std::string, uint32_t> dividers = {{"DIV1", 4}, {"DIV2", 0}, {"DIV4", 1}};
  EXPECT_EQ(ran.first_divider, dividers.at(meta["clock"][0][1]));
  const json& steps = meta["gcfr"];
  uint32_t registers[4] = {0, 0, 0xf, 0};
  ASSERT_EQ(ran.power.size(), steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::string step = steps[i];
    const auto reg = static_cast<uint32_t>(step[step.find("reg") + 3] - '0');
    const auto given = static_cast<uint32_t>(std::stoul(step.substr(step.find("0x")), nullptr, 16));
    uint32_t& now = registers[reg];
    now = step.find("|=") == std::string::npos ? given : now | given;
    EXPECT_EQ(ran.power[i], (Access{'w', 0x40005800U + 4 * reg, now})) << step;
  }
}

void report(const std::string& name, bool small, const Ran& ran) {
  const uint32_t flash = small ? 512U << 10 : 2560U << 10, memory = small ? 128U << 10 : 384U << 10;
  if (ran.flash_bytes > flash || ran.ram_bytes > memory) std::cout << "More than the chip has: ";
  std::cout << name << ": flash " << ran.flash_bytes << " bytes, memory " << ran.ram_bytes
            << " bytes, " << ran.core.instructions << " instructions of the Cortex-M4\n"
            << phase_text(ran.core);
}

// The vendor's simulation rearranges channels and pixels where a layer with several operands reads
// what a single layer wrote with other dimensions; memory stays as it is, so that its known answer
// cannot come out of the chip's registers.
bool rearranges(const max78::Plan& plan) {
  for (size_t i = 1; i < plan.order.size(); ++i) {
    const max78::LayerPlan& l = plan.layer(plan.order[i]);
    const max78::LayerPlan& before = plan.layer(plan.order[i - 1]);
    const int pixels = before.out_dim.h * before.out_dim.w;
    if (l.operands > 1 && before.yaml->write_gap == 0 && pixels != l.in_dim.h * l.in_dim.w)
      return true;
  }
  return false;
}

void run_case(const json& row) {
  const std::string name = row["name"];
  SCOPED_TRACE(name);
  const fs::path goldens = goldens_of(row);
  const std::vector<std::string> words = row["options"];
  const auto device =
      row["device"] == "MAX78000" ? max78::Device::max78000 : max78::Device::max78002;
  const Prepared p = prepare(golden::load_case(row, device, words), words, name);
  ASSERT_EQ(p.problem, "");
  const Ran ran = build_and_run(p, rearranges(p.plan()) ? memory_for(p) : machine_for(p));
  expect_passed(p, ran);
  expect_program(p, ran, golden::gunzip(goldens / "program.txt.gz"));
  // With --energy it is switched off and on again; the vendor's loader tests memories of groups
  // that it has not switched on.
  if (!p.has("--energy") && !p.has("--zero-sram")) expect_power(ran, goldens);
  expect_results(p, ran);
  // Where the vendor's own function returns something else, the simulation counts.
  if (row["unload_order"] != "irregular") expect_unloaded(p, ran, goldens);
  report(name, p.plan().small(), ran);
}

TEST(Firmware, RecordedNetworks) {
  if (const std::string missing = missing_tools(); !missing.empty()) GTEST_SKIP() << missing;
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const std::vector<json> cases = chosen_cases();
  EXPECT_FALSE(cases.empty());
  for (const json& row : cases) run_case(row);
}

}  // namespace
}  // namespace edgetwin::firmware
