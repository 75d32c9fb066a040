// Any bytes as a folder for simulations: files one after the other, each after a line "=== NAME";
// read back, and played within limits.
#include <cstdlib>

#include "base/bytes.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/rtl/rtl.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  using namespace edgetwin::max78;
  constexpr std::string_view kMark = "=== ";
  std::string_view text = as_text(std::as_bytes(std::span(data, size)));
  std::vector<ProjectFile> files;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(kMark)) {
      const std::string name(line.substr(kMark.size()));
      if (is_rtl_file(name)) files.push_back({name, {}});
    } else if (!files.empty()) {
      files.back().text += std::string(line) + "\n";
    }
  }
  Device device = Device::max78000;
  const auto test = read_rtl(files, device, {.tokens = 100'000, .steps = 300'000});
  if (!test.ok()) {
    if (to_text(test.error()).empty()) std::abort();
    return 0;
  }
  MachineOptions options;
  options.step_limit = 5000;
  options.multiply_limit = 20'000'000;
  Machine machine(device, options);
  const Status played = play(max78::as_text(test->program, device), machine);
  if (!played.ok() && to_text(played.error()).empty()) std::abort();
  return 0;
}
