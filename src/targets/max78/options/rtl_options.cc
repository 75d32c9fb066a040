// What options of folders for simulations need, and what they change in others. Source:
// specification "rtl".
#include <algorithm>
#include <iterator>

#include "targets/max78/options/option_values.h"
#include "targets/max78/options/options.h"

namespace edgetwin::max78 {
namespace {

// The accelerator alone: what has no form in a list of words to write.
Status check_block(const Options& o) {
  const RtlOptions& r = o.rtl;
  const auto refuse = [](const std::string& what) {
    return Error(ErrorCode::max78_option, "--top-level None does not go with " + what +
                                              ": the accelerator alone gets a list of words to "
                                              "write, which has no other form")
        .with_hint("Leave one of the two out.");
  };
  if (o.use_fifo()) return refuse("FIFOs");
  if (o.riscv) return refuse("--riscv");
  if (r.preload || r.preload_weights) return refuse("preloaded memories");
  if (o.zero_sram || o.verify_writes || r.verify_kernels) return refuse("reads of memory");
  if (r.stop_start || o.one_shot) return refuse("a program that stops and goes on");
  if (r.result_output || r.answer_file_given) return refuse("another form of the answer");
  if (o.mlator) return refuse("--mlator");
  if (o.log_intermediate) return refuse("--log-intermediate");
  if (r.mexpress_given && o.mexpress) return refuse("--mexpress, whose kernels begin with a byte");
  return Ok{};
}

}  // namespace

bool needs_rtl(std::string_view name) {
  constexpr std::string_view kNames[] = {"--rtl-preload-weights",
                                         "--no-compact-data",
                                         "--result-output",
                                         "--verify-kernels",
                                         "--stop-start",
                                         "--no-riscv-flash",
                                         "--no-riscv-cache",
                                         "--pretend-zero-sram",
                                         "--input-split",
                                         "--slow-load",
                                         "--repeat-layers",
                                         "--timeout",
                                         "--autogen",
                                         "--autogen_list",
                                         "--queue-name",
                                         "--top-level",
                                         "--runtest-filename",
                                         "--input-filename",
                                         "--output-filename",
                                         "--output-pass-filename",
                                         "--test-bist",
                                         "--input-csv"};
  return needs_camera(name) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool needs_camera(std::string_view name) {
  constexpr std::string_view kNames[] = {"--input-csv-format", "--input-csv-retrace",
                                         "--input-csv-period", "--input-pix-clk",
                                         "--input-sync",       "--input-fifo"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

Status check_rtl(const Options& o) {
  const auto refuse = [](const std::string& what, const std::string& hint) {
    return Error(ErrorCode::max78_option, what).with_hint(hint);
  };
  const RtlOptions& r = o.rtl;
  if (r.block()) EDGETWIN_TRY(check_block(o));
  if (!r.block() && r.input != RtlOptions().input) {
    return refuse("--input-filename changes nothing without --top-level None",
                  "Add --top-level None, or leave it out.");
  }
  if (r.test_bist && !o.zero_sram && !r.pretend_zero) {
    return refuse("--test-bist changes nothing where memories are not cleared",
                  "Add --zero-sram or --pretend-zero-sram.");
  }
  if (r.camera.csv.empty()) return Ok{};
  if (!o.use_fifo()) {
    return refuse("--input-csv needs a FIFO: the words of a camera go through it",
                  "Add --fifo, or --fast-fifo on the RISC-V core.");
  }
  if (o.synthesize_input) {
    return refuse("--synthesize-input and --input-csv exclude each other",
                  "The camera gives every word; leave one of them out.");
  }
  if (r.camera.ring && !o.use_fast_fifo()) {
    return refuse("--input-fifo is for the fast FIFO", "Add --fast-fifo, or leave it out.");
  }
  return Ok{};
}

void apply_to(ai8x::Parameters& parameters, const Options& o) {
  if (!o.rtl.test_bist || (!o.zero_sram && !o.rtl.pretend_zero)) return;
  for (ai8x::LayerParameters& l : parameters.layers) {
    // The kernels of a layer are counted through, for each output channel those of all inputs.
    if (l.kernel.h < 1 || l.kernel.w < 1) continue;
    const auto each = static_cast<size_t>(l.kernel.h) * static_cast<size_t>(l.kernel.w);
    for (size_t i = 0; i < l.weights.size(); ++i) {
      if (i / each % 7 == 0) l.weights[i] = 0;
    }
  }
}

void settle_rtl(Options& o) {
  RtlOptions& r = o.rtl;
  r.on = true;
  const bool reads_kernels = r.verify_kernels || (o.verify_writes && o.new_kernel_loader);
  r.verify_kernels = reads_kernels;
  if (reads_kernels || r.mexpress_given) r.preload_weights = false;
  if (r.preload_weights || r.block()) o.mexpress = false;
  if (r.block()) r.compact_data = false;
  o.softmax = o.energy = o.forever = false;
  if (o.mlator || o.one_shot || r.stop_start) r.result_output = false;
  if (r.preload && !o.use_fifo()) r.compact_data = false;
  if (o.zero_sram) r.preload = false;
  if (r.result_output) o.max_checklines.reset();
  if (o.new_kernel_loader) o.compact_weights = false;
}

}  // namespace edgetwin::max78
