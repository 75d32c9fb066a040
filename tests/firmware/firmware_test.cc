// Generated C projects, compiled for the Cortex-M4 and executed there: what they write is the
// register program, their own check passes, and unloading gives the recorded results.
// EDGETWIN_FIRMWARE_CASES=all runs every recorded network, or those whose names contain its text.
#include "firmware/firmware.h"

#include <gtest/gtest.h>

#include <iostream>

#include "firmware/register_program.h"
#include "golden/max78_cases.h"

namespace edgetwin::firmware {
namespace {

using golden::Max78Case;

struct Prepared {
  std::unique_ptr<Max78Case> c;
  std::vector<Tensor> outputs;
  std::vector<max78::ProjectFile> files;
  fs::path goldens;
  bool has(const char* option) const {
    for (const std::string& o : words) {
      if (o == option) return true;
    }
    return false;
  }
  std::vector<std::string> words;
};

Prepared prepare(const nlohmann::json& row, const std::vector<std::string>& words) {
  Prepared p;
  p.words = words;
  const auto device =
      row["device"] == "MAX78000" ? max78::Device::max78000 : max78::Device::max78002;
  p.c = golden::load_case(row, device, words);
  p.goldens = golden::max78_root() / row["goldens"].get<std::string>();
  if (!p.c->refused.empty()) return p;
  p.c->plan.options.upstream_bugs = false;
  auto simulation = max78::Simulation::make(p.c->plan, {.trace = false});
  if (!simulation.ok()) return p;
  const auto result = simulation->run(p.c->sample);
  if (!result.ok()) return p;
  p.outputs = golden::outputs_of(p.c->plan, *result);
  auto files = max78::make_project(p.c->plan, p.c->sample, p.outputs,
                                   {.name = row["name"].get<std::string>()});
  if (files.ok()) p.files = std::move(*files);
  return p;
}

// Cases that between them have every feature that firmware can have, on both devices if recorded:
// for each feature the one with the shortest register program.
std::vector<nlohmann::json> chosen_cases() {
  const auto all = golden::max78_cases();
  const char* wish = std::getenv("EDGETWIN_FIRMWARE_CASES");
  const std::string filter = wish == nullptr ? "" : wish;
  std::vector<nlohmann::json> chosen;
  if (!filter.empty()) {
    for (const auto& row : all) {
      if (filter == "all" || row["name"].get<std::string>().find(filter) != std::string::npos) {
        chosen.push_back(row);
      }
    }
    return chosen;
  }
  std::set<std::string> names;
  for (const char* feature :
       {"fifo", "fast-fifo", "streaming", "mlator", "32-bit-output", "multi-pass-in",
        "multi-pass-out", "CHW", "riscv", "no-mexpress", "compact-weights", "zero-sram", "energy",
        "flatten", "conv1d-k3", "convtranspose2d", "bias", "2-operands", "groups", "binary",
        "calcx4", "bypass", "conv2d-k3"}) {
    for (const char* device : {"MAX78000", "MAX78002"}) {
      const nlohmann::json* best = nullptr;
      uintmax_t best_size = 0;
      for (const auto& row : all) {
        const auto features = row["features"].get<std::set<std::string>>();
        if (row["device"] != device || !features.contains(feature)) continue;
        const uintmax_t size = fs::file_size(golden::max78_root() /
                                             row["goldens"].get<std::string>() / "program.txt.gz");
        if (best == nullptr || size < best_size) {
          best = &row;
          best_size = size;
        }
      }
      if (best != nullptr && names.insert((*best)["name"]).second) chosen.push_back(*best);
    }
  }
  return chosen;
}

class Firmware : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_tools(); !missing.empty()) GTEST_SKIP() << missing;
    if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  }
};

Chip::MakeAccelerator answers(const Prepared& p) {
  return [&p] {
    return std::make_unique<AnswerMemory>(p.c->plan.chip->device,
                                          max78::expected_words(p.c->plan, p.outputs));
  };
}

size_t result_bytes(const max78::Plan& plan) {
  int64_t bytes = 0;
  for (const int i : max78::output_layers(plan)) {
    const max78::LayerPlan& l = plan.layer(i);
    bytes += int64_t{l.out_channels} * l.out_dim.h * l.out_dim.w * l.output_width / 8;
  }
  return static_cast<size_t>(bytes);
}

// The buffer of cnn_unload holds what was recorded of the vendor's.
void expect_unloaded(const Prepared& p, const Ran& ran) {
  const auto recorded = golden::load_npy(p.goldens / "unload.npy");
  if (!recorded.ok()) return;
  const size_t size = result_bytes(p.c->plan);
  ASSERT_GE(ran.unloaded.size(), size);
  ASSERT_GE(recorded->data.size(), size);
  EXPECT_EQ(std::memcmp(ran.unloaded.data(), recorded->data.data(), size), 0);
}

// Power steps as they were recorded: "cnn_enable GCFR.reg3 = 0xf".
void expect_power(const Prepared& p, const Ran& ran) {
  const auto steps = nlohmann::json::parse(golden::read_text(p.goldens / "meta.json"))["gcfr"];
  uint32_t registers[4] = {0, 0, 0xf, 0};
  ASSERT_EQ(ran.power.size(), steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::string step = steps[i];
    const size_t at = step.find("reg") + 3, value = step.find("0x");
    uint32_t& now = registers[static_cast<size_t>(step[at] - '0')];
    const auto given = static_cast<uint32_t>(std::stoul(step.substr(value), nullptr, 16));
    now = step.find("|=") == std::string::npos ? given : now | given;
    EXPECT_EQ(ran.power[i].address, 0x40005800U + 4U * static_cast<uint32_t>(step[at] - '0'));
    EXPECT_EQ(ran.power[i].value, now) << step;
  }
}

// Memories are loaded at a quarter of the speed of the PLL, the network runs at its full speed.
void expect_clock(const Prepared& p, const Ran& ran) {
  constexpr uint32_t kBy1 = 4, kBy4 = 1;  // fields of the register
  const bool pll = !p.c->plan.small() && !p.has("--no-pll");
  const bool slow = pll && !p.has("--max-speed");
  EXPECT_EQ(ran.first_divider, slow ? kBy4 : kBy1);
  EXPECT_EQ(ran.running_divider, pll && p.has("--no-pipeline") ? kBy4 : kBy1);
}

void expect_passed(const Prepared& p, const Ran& ran) {
  EXPECT_EQ(static_cast<int>(ran.core.stop), static_cast<int>(Stop::exited)) << name(ran.core.stop) << ": " << ran.core.message << "\n"
                                         << ran.output << ran.problem;
  EXPECT_EQ(ran.core.exit_code, 0);
  EXPECT_NE(ran.output.find("*** PASS ***"), std::string::npos) << ran.output;
  EXPECT_FALSE(ran.powered) << "the accelerator is left switched on";
  EXPECT_EQ(ran.problem, "");
  expect_clock(p, ran);
  // The vendor's loader tests memories of groups that it has not switched on.
  if (!p.has("--energy") && !p.has("--zero-sram")) expect_power(p, ran);
  if (!p.has("--energy")) {
    const auto program = writes_of(golden::gunzip(p.goldens / "program.txt.gz"));
    EXPECT_EQ(compare(program, ran.accesses), "");
    // Unloading through the byte swapper writes, too.
    if (!p.has("--mlator")) {
      EXPECT_EQ(ran.accesses.size(), program.size());
    }
  }
}

TEST_F(Firmware, WritesTheRegisterProgram) {
  int ran = 0;
  for (const auto& row : chosen_cases()) {
    SCOPED_TRACE(row["name"].get<std::string>());
    const Prepared p = prepare(row, row["options"]);
    ASSERT_EQ(p.c->refused, "");
    ASSERT_FALSE(p.files.empty());
    const Folder folder;
    const Built built = build(p.files, p.c->plan, folder.path());
    ASSERT_EQ(built.log, "");
    const Ran result = run(built.image, p.c->plan.chip->device, answers(p));
    expect_passed(p, result);
    expect_unloaded(p, result);
    std::cout << row["name"].get<std::string>() << ": flash " << built.image.flash_bytes
              << " bytes, memory " << built.image.ram_bytes << " bytes, "
              << result.core.instructions << " instructions\n"
              << phase_text(result.core);
    ++ran;
  }
  EXPECT_GT(ran, 0);
}

}  // namespace
}  // namespace edgetwin::firmware
