// What boards print, and what lies at an address.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "source_dir.h"
#include "targets/max78/board/addresses.h"
#include "targets/max78/board/locate.h"
#include "targets/max78/board/log.h"
#include "targets/max78/pipeline/load.h"
#include "targets/max78/place/region.h"

namespace edgetwin::max78 {
namespace {

TEST(Max78Board, LogOfTheVendorsDemo) {
  const std::string_view text =
      "Waiting...\r\n\r\n*** CNN Inference Test ***\r\n"
      "Data mismatch (3/12) at address 0x50402000: Expected 0x0000003f, read 0x0000003e.\r\n"
      "\r\n*** FAIL ***\r\n";
  ASSERT_TRUE(looks_like_board_log(text));
  const auto log = read_board_log(text, "uart.txt");
  ASSERT_TRUE(log.ok());
  EXPECT_FALSE(log->passed());
  EXPECT_EQ(log->starts, 1);
  EXPECT_EQ(log->failures, 1);
  ASSERT_EQ(log->mismatches.size(), 1U);
  EXPECT_EQ(log->mismatches[0].address, 0x50402000U);
  EXPECT_EQ(log->mismatches[0].expected, 0x3fU);
  EXPECT_EQ(log->mismatches[0].found, 0x3eU);
  EXPECT_EQ(log->mismatches[0].line, 4);
}

TEST(Max78Board, LogOfOurProjectAndOfTheLastStart) {
  const auto log = read_board_log(
      "Word 3 at 0x50402008: expected 0x000004ab, read 0x000004aa\n*** FAIL ***\nWaiting...\n"
      "CNN: PASS\nApproximate inference time: 1402 us\nClassification results:\n"
      "[ 12345] -> Class 0: 0.4%\nclass 1 (dog): 99.6%\n",
      "uart.txt");
  ASSERT_TRUE(log.ok());
  EXPECT_TRUE(log->passed());
  EXPECT_TRUE(log->mismatches.empty());
  EXPECT_EQ(log->microseconds, 1402);
  ASSERT_EQ(log->classes.size(), 2U);
  EXPECT_EQ(log->classes[0].tenths, 4);
  EXPECT_EQ(log->classes[1].number, 1);
  EXPECT_EQ(log->classes[1].tenths, 996);
}

TEST(Max78Board, TextsWithoutAResultAreNoLogs) {
  for (const std::string_view text : {"", "pass", "Waiting...\n", "Data mismatch at 0x\n"}) {
    EXPECT_FALSE(looks_like_board_log(text)) << text;
    EXPECT_FALSE(read_board_log(text, "x").ok()) << text;
  }
}

// Every element of every layer is found at the address that its word has.
TEST(Max78Board, AddressesBecomeElements) {
  NetworkSources s;
  const std::string_view plain =
      "arch: net\ndataset: x\nlayers:\n"
      "  - op: conv2d\n    kernel_size: 3x3\n    pad: 1\n    processors: 0x7\n"
      "    out_channels: 70\n    out_offset: 0x1000\n"
      "  - op: conv2d\n    kernel_size: 1x1\n    pad: 0\n    processors: 0xfffffffff0\n"
      "    in_channels: 70\n    out_channels: 6\n"
      "    output_width: 32\n    output_processors: 0x3f00\n    out_offset: 0x4000\n";
  const auto bytes = std::as_bytes(std::span(plain));
  s.description = Source::bytes("net.yaml", {bytes.begin(), bytes.end()});
  s.shape = SampleShape{3, 5, 4};
  s.weightless = true;
  const Loading loading = load_network(s, SampleNeed::size_only);
  ASSERT_TRUE(loading.ok()) << (loading.findings.empty() ? "" : to_text(loading.findings[0]));
  const Plan& plan = loading.network->plan();
  for (const int i : plan.order) {
    const LayerPlan& l = plan.layer(i);
    const Region r = region_of(l);
    std::vector<bool> seen(static_cast<size_t>(l.out_channels * r.pixels));
    for (int64_t pixel = 0; pixel < r.pixels; ++pixel) {
      for (int pass = 0; pass < r.expand; ++pass) {
        for (const Quad& q : quads_of(r, pass)) {
          for (int b = 0; b < (r.width == 32 ? 4 : 1); ++b) {
            if (r.width == 32 && ((q.bits >> b) & 1U) == 0) continue;
            const auto found = elements_at(plan, region_address(plan, r, pixel, pass, q.quad, b));
            ASSERT_FALSE(found.empty());
            const ElementsOfWord& e = found.front();
            ASSERT_EQ(e.layer, i);
            EXPECT_EQ(e.row * l.out_dim.w + e.column, pixel);
            for (const int c : e.channels) {
              if (c >= 0) seen[static_cast<size_t>(c * r.pixels + pixel)] = true;
            }
          }
        }
      }
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), l.out_channels * r.pixels) << i;
  }
  EXPECT_TRUE(elements_at(plan, 0x50400000U + 0x7ffc).empty());
  EXPECT_TRUE(elements_at(plan, 0x40000000U).empty());
}

TEST(Max78Board, MemoriesByAddress) {
  const Limits& chip = chip_limits(Device::max78000);
  EXPECT_EQ(memory_at(chip, 0x50400000U), "data memory 0, byte 0x00000");
  EXPECT_EQ(memory_at(chip, chip.data_address(7) + 8), "data memory 7, byte 0x00008");
  EXPECT_EQ(memory_at(chip, chip.kernel_address(17, 5)), "kernel memory of processor 17, column 5");
  EXPECT_EQ(memory_at(chip, chip.bias_address(2) + 12), "bias memory of group 2, byte 3");
  EXPECT_EQ(memory_at(chip, chip.row_address(33) + 4), "row memory of processor 33, entry 1");
  EXPECT_FALSE(memory_at(chip, 0x40000000U));
}

TEST(Max78Board, AddressesArePinnedInTheDocument) {
  const auto bytes = read_file(source_dir() + "/docs/max78-addresses.md");
  ASSERT_TRUE(bytes.ok()) << to_text(bytes.error());
  EXPECT_EQ(std::string(as_text(*bytes)), addresses_markdown()) << "run the target update_docs";
}

}  // namespace
}  // namespace edgetwin::max78
