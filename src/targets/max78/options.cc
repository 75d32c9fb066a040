#include "targets/max78/options.h"

#include <charconv>
#include <functional>
#include <map>

namespace edgetwin::max78 {
namespace {

Error bad(const std::string& what) { return Error(ErrorCode::max78_option, what); }

std::optional<int64_t> number(const std::string& text) {
  int64_t value = 0;
  const bool hex = text.starts_with("0x");
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || stop != end || begin == end) return std::nullopt;
  return value;
}

using Flag = std::function<void(Options&)>;
using Valued = std::function<bool(Options&, const std::string&)>;

#define SET(member, value) [](Options& o) { o.member = value; }

const std::map<std::string, Flag>& flags() {
  static const std::map<std::string, Flag> table = {
      {"--avg-pool-rounding", SET(avg_pool_rounding, true)},
      {"--simple1b", SET(simple1b, true)},
      {"--fifo", SET(fifo, true)},
      {"--fast-fifo", SET(fast_fifo, true)},
      {"--fifo-go", SET(fifo_go, true)},
      {"--riscv", SET(riscv, true)},
      {"--mlator", SET(mlator, true)},
      {"--overlap-data", SET(overlap_data, true)},
      {"--zero-sram", SET(zero_sram, true)},
      {"--mexpress", SET(mexpress, true)},
      {"--no-mexpress", SET(mexpress, false)},
      {"--compact-weights", SET(compact_weights, true)},
      {"--new-kernel-loader", SET(new_kernel_loader, true)},
      {"--old-kernel-loader", SET(new_kernel_loader, false)},
      {"--no-deduplicate-weights", SET(deduplicate_weights, false)},
      {"--write-zero-registers", SET(write_zero_registers, true)},
      {"--pipeline", SET(pipeline, true)},
      {"--no-pipeline", SET(pipeline, false)},
      {"--pll", SET(pll, true)},
      {"--no-pll", SET(pll, false)},
      {"--apb", SET(pll, false)},
      {"--max-speed", SET(max_speed, true)},
      {"--balance-speed", SET(max_speed, false)},
      {"--energy", SET(energy, true)},
      {"--unload", SET(unload, true)},
      {"--no-unload", SET(unload, false)},
      {"--no-kat", SET(kat, false)},
      {"--allow-streaming", SET(allow_streaming, true)},
      {"--ignore-bias-groups", SET(ignore_bias_groups, true)},
      {"--ignore-hw-limits", SET(ignore_hw_limits, true)},
      {"--ignore-activation", SET(ignore_activation, true)},
      {"--no-error-stop", SET(error_stop, false)},
      {"--one-shot", SET(one_shot, true)},
      {"--ext-rdy", SET(ext_rdy, true)},
      {"--link-layer", SET(link_layer, true)},
      {"--softmax", SET(softmax, true)},
      {"--upstream-bugs", SET(upstream_bugs, true)},
      // Without effect on what is computed here.
      {"--verbose", [](Options&) {}},
      {"-v", [](Options&) {}},
      {"--display-checkpoint", [](Options&) {}},
      {"--overwrite", [](Options&) {}},
      {"--riscv-debug", [](Options&) {}},
      {"--riscv-flash", [](Options&) {}},
      {"--riscv-cache", [](Options&) {}},
      {"--no-timer", [](Options&) {}},
  };
  return table;
}

#undef SET

Valued small_number(std::optional<int> Options::*member) {
  return [member](Options& o, const std::string& text) {
    const auto value = number(text);
    if (!value || *value < -(1 << 24) || *value > (1 << 24)) return false;
    o.*member = static_cast<int>(*value);
    return true;
  };
}

Valued plain_number(int Options::*member) {
  return [member](Options& o, const std::string& text) {
    const auto value = number(text);
    if (!value || *value < 0 || *value > (1 << 20)) return false;
    o.*member = static_cast<int>(*value);
    return true;
  };
}

bool set_width(Options& o, const std::string& text) {
  if (text != "8" && text != "32") return false;
  o.output_width = text == "8" ? 8 : 32;
  return true;
}

bool set_lines(Options& o, const std::string& text) {
  const auto value = number(text);
  if (!value || *value < 0) return false;
  o.max_checklines = *value;
  return true;
}

bool set_boost(Options& o, const std::string& text) {
  o.boost = text;
  return text.find('.') != std::string::npos;
}

const std::map<std::string, Valued>& valued() {
  static const std::map<std::string, Valued> table = {
      {"--output-width", set_width},
      {"--max-checklines", set_lines},
      {"--max-verify-length", set_lines},
      {"--boost", set_boost},
      {"--start-layer", plain_number(&Options::start_layer)},
      {"--weight-start", plain_number(&Options::weight_start)},
      {"--stop-after", small_number(&Options::stop_after)},
      {"--timer", small_number(&Options::timer)},
      {"--override-start", small_number(&Options::override_start)},
      {"--override-rollover", small_number(&Options::override_rollover)},
      {"--override-delta1", small_number(&Options::override_delta1)},
      {"--override-delta2", small_number(&Options::override_delta2)},
      {"--increase-start", plain_number(&Options::increase_start)},
      {"--increase-delta1", plain_number(&Options::increase_delta1)},
      {"--increase-delta2", plain_number(&Options::increase_delta2)},
  };
  return table;
}

}  // namespace

Result<Options> options_from(const std::vector<std::string>& words) {
  Options options;
  for (size_t i = 0; i < words.size(); ++i) {
    if (const auto flag = flags().find(words[i]); flag != flags().end()) {
      flag->second(options);
      continue;
    }
    const auto value = valued().find(words[i]);
    if (value == valued().end()) return bad("'" + words[i] + "' is not an option of this program");
    if (i + 1 >= words.size()) return bad(words[i] + " needs a value");
    if (!value->second(options, words[i + 1])) {
      return bad(words[i] + " cannot be '" + words[i + 1] + "'");
    }
    ++i;
  }
  return options;
}

}  // namespace edgetwin::max78
