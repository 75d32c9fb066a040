// What a user may ask of the program for a chip, under the names of the vendor's loader.
// Source: specification "codegen" 10.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace edgetwin::max78 {

struct Options {
  bool avg_pool_rounding = false;
  bool simple1b = false;
  bool fifo = false;            // input through the FIFOs of the Arm core
  bool fast_fifo = false;       // of the RISC-V core; implies fifo
  bool fast_fifo_quad = false;  // implies fast_fifo
  bool fifo_go = false;
  bool riscv = false;
  bool mlator = false;
  bool overlap_data = false;
  bool zero_sram = false;
  bool zero_unused = false;
  bool mexpress = true;
  bool compact_weights = false;
  bool new_kernel_loader = true;
  bool deduplicate_weights = true;
  bool write_zero_registers = false;
  std::optional<bool> pipeline, pll;  // empty: where the chip has it
  bool max_speed = false;
  bool energy = false;
  std::optional<int> output_width;  // of the last layer
  bool unload = true;
  bool kat = true;  // known-answer test
  std::optional<int64_t> max_checklines;
  int start_layer = 0;
  int weight_start = 0;  // kernel column
  std::optional<int> stop_after;
  bool allow_streaming = false;
  bool ignore_bias_groups = false;
  bool ignore_hw_limits = false;
  bool ignore_activation = false;
  bool error_stop = true;
  bool one_shot = false;
  bool ext_rdy = false;
  bool link_layer = false;
  bool softmax = false;
  std::optional<int> timer;
  std::string boost;  // "2.5": port and pin
  std::optional<int> override_start, override_rollover, override_delta1, override_delta2;
  int increase_start = 2, increase_delta1 = 0, increase_delta2 = 0;
  bool upstream_bugs = false;  // the loader's faults in the unload function

  bool use_fifo() const { return fifo || fast_fifo || fast_fifo_quad; }
  bool use_fast_fifo() const { return fast_fifo || fast_fifo_quad; }
};

// From a command line in the loader's spelling ("--fifo", "--output-width", "32"). Options that
// change nothing here (--verbose, --display-checkpoint) are accepted.
// Error: max78_option for one that is not known or lacks its value.
Result<Options> options_from(const std::vector<std::string>& words);

}  // namespace edgetwin::max78
