// What options of folders for simulations need, and what they change in others. Source:
// specification "rtl".
#include <algorithm>
#include <iterator>

#include "targets/max78/options/option_values.h"
#include "targets/max78/options/options.h"

namespace edgetwin::max78 {

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
                                         "--output-filename",
                                         "--output-pass-filename"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

void settle_rtl(Options& o) {
  RtlOptions& r = o.rtl;
  r.on = true;
  const bool reads_kernels = r.verify_kernels || (o.verify_writes && o.new_kernel_loader);
  r.verify_kernels = reads_kernels;
  if (reads_kernels || r.mexpress_given) r.preload_weights = false;
  if (r.preload_weights) o.mexpress = false;
  o.softmax = o.energy = o.forever = false;
  if (o.mlator || o.one_shot || r.stop_start) r.result_output = false;
  if (r.preload && !o.use_fifo()) r.compact_data = false;
  if (o.zero_sram) r.preload = false;
  if (r.result_output) o.max_checklines.reset();
  if (o.new_kernel_loader) o.compact_weights = false;
}

}  // namespace edgetwin::max78
