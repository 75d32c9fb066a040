// Softmax by the chip's own instructions, over 256 and 4096 values: against the twin for sums of
// all sizes, and against what trackers on a device printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/darwinn/darwinn.h"
#include "golden/golden.h"
#include "targets/edgetpu/machine/machine.h"

namespace edgetwin::edgetpu::machine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A tracker as a program and as a network.
struct Tracker {
  std::unique_ptr<const darwinn::File> file;  // the machine's programs are in it
  Machine machine;
  exec::Session network;
  std::vector<Tensor> inputs;

  // The machine's bytes, which must be the network's.
  Bytes run(const Bytes& picture) {
    inputs.at(0).data = picture;
    EXPECT_TRUE(golden::run(network, inputs).ok());
    const auto outputs = machine.run_dense({ByteSpan(picture)});
    EXPECT_TRUE(outputs.ok()) << (outputs.ok() ? "" : to_text(outputs.error()));
    if (!outputs.ok()) return {};
    EXPECT_TRUE(outputs->at(0) == network.output(0).data);
    return outputs->at(0);
  }
};

Result<Tracker> open_tracker(const std::string& name) {
  const fs::path folder = golden::shared_data() / "edgetpu" / "models" / "libredgetpu";
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(folder / (name + "_edgetpu.tflite")));
  EDGETWIN_TRY_ASSIGN(darwinn::File read, darwinn::read(data, name));
  auto file = std::make_unique<const darwinn::File>(std::move(read));
  EDGETWIN_TRY_ASSIGN(Machine machine, Machine::make(file->ops[0].packages[0]));
  EDGETWIN_TRY_ASSIGN(auto graph, golden::load_graph(folder / (name + ".tflite")));
  exec::Options options;
  options.numerics = "edgetpu";
  EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(graph, options));
  EDGETWIN_TRY_ASSIGN(auto inputs, golden::case_inputs(session, "xs32:1", {}));
  return Tracker{std::move(file), std::move(machine), std::move(session), std::move(inputs)};
}

TEST(EdgetpuMachineSoftmax, SumsOfAllSizes) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  auto tracker = open_tracker("bright_16x16");
  ASSERT_TRUE(tracker.ok()) << to_text(tracker.error());
  // n pixels of one brightness in a corner, the others one to eight below it.
  for (size_t n = 1; n <= 256; ++n) {
    Bytes picture(256);
    for (size_t k = 0; k < picture.size(); ++k) {
      picture[k] = static_cast<std::byte>(k < n ? 90 : 82 + (k * 7 + n) % 8);
    }
    tracker->run(picture);
    if (HasFailure()) FAIL() << n;
  }
}

// "flat: a + b*exp(-r^2/72)", or for each colour c "32 + (c - 32)*exp(-r^2/72)", cut to a byte.
Bytes spot(const json& centre, const std::vector<double>& behind,
           const std::vector<double>& light) {
  constexpr int kSize = 64;
  const int cx = centre[0], cy = centre[1];
  Bytes picture;
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const double e =
          std::exp(-static_cast<double>((x - cx) * (x - cx) + (y - cy) * (y - cy)) / 72);
      for (size_t c = 0; c < light.size(); ++c) {
        picture.push_back(static_cast<std::byte>(
            static_cast<uint8_t>(std::clamp(behind[c] + light[c] * e, 0.0, 255.0))));
      }
    }
  }
  return picture;
}

TEST(EdgetpuMachineSoftmax, RecordedPositionsOfSpots) {
  if (golden::shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  std::ifstream file(golden::shared_data() / "edgetpu" / "silicon" / "cases.json");
  const json cases = json::parse(file);
  size_t compared = 0;
  for (const json& c : cases["cases"]) {
    const bool grey = c["id"] == "libredgetpu spot tracker bright 64";
    if (!grey && c["id"] != "libredgetpu spot tracker red 64") continue;
    auto tracker = open_tracker(grey ? "bright_64x64" : "color_red_64x64");
    ASSERT_TRUE(tracker.ok()) << to_text(tracker.error());
    for (const json& row : c["rows"]) {
      if (row["background"] != "flat") continue;
      const Bytes picture =
          grey ? spot(row["centre"], {16}, {239}) : spot(row["centre"], {32, 32, 32}, {223, 0, 0});
      const Bytes output = tracker->run(picture);
      ASSERT_EQ(output.size(), 2U);
      for (size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(static_cast<int>(output[k] ^ std::byte{0x80}), row["simulated_bytes"][k]);
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 18U);
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
