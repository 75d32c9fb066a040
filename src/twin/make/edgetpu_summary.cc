// What the vendor's compiler prints, in its form: scripts read these lines. Source: specification
// "conventions", table of the tools; public issues of the compiler have whole outputs.
#include <algorithm>
#include <map>

#include "edgetwin/compile.h"

namespace edgetwin {
namespace {

std::string column(std::string text, size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

}  // namespace

std::string edgetpu_amount(int64_t bytes) {
  constexpr int64_t kKilo = 1024;
  const char* unit = "B";
  int64_t hundredths = bytes * 100;
  for (const char* larger : {"KiB", "MiB", "GiB"}) {
    if (hundredths < kKilo * 100) break;
    hundredths /= kKilo;
    unit = larger;
  }
  std::string cents = std::to_string(hundredths % 100);
  if (cents.size() == 1) cents.insert(cents.begin(), '0');
  return std::to_string(hundredths / 100) + "." + cents + unit;
}

std::string edgetpu_summary(const EdgetpuCompiled& c) {
  constexpr int64_t kLine = 256;
  int64_t cached = 0, left = 0, streamed = 0;
  bool first = true;
  // Each program has the memory for itself; that with the least room decides.
  for (const ProgramGroup& g : c.groups) {
    cached += static_cast<int64_t>(g.parameter_bytes);
    streamed += g.streamed_bytes;
    const int64_t room = std::max<int64_t>(0, g.resident_room - g.resident_lines) * kLine;
    left = first ? room : std::min(left, room);
    first = false;
  }
  const size_t host = c.operators.size() - c.on_chip();
  std::string text = "On-chip memory used for caching model parameters: " + edgetpu_amount(cached);
  text += "\nOn-chip memory remaining for caching model parameters: " + edgetpu_amount(left);
  text +=
      "\nOff-chip memory used for streaming uncached model parameters: " + edgetpu_amount(streamed);
  text += "\nNumber of Edge TPU subgraphs: " + std::to_string(c.groups.size());
  text += "\nTotal number of operations: " + std::to_string(c.operators.size());
  text += "\nNumber of operations that will run on Edge TPU: " + std::to_string(c.on_chip());
  return text + "\nNumber of operations that will run on CPU: " + std::to_string(host) + "\n";
}

std::string edgetpu_operations(const EdgetpuCompiled& c) {
  constexpr size_t kName = 31, kCount = 11;
  std::map<std::pair<std::string, std::string>, size_t> counts;
  std::string host;
  for (const PlacedOperator& p : c.operators) {
    ++counts[{p.kind, p.group >= 0 ? "Mapped to Edge TPU" : "On the CPU by " + p.rule}];
    if (p.group < 0) host += p.label + "\t" + p.rule + ": " + p.why + "\n";
  }
  std::string text = column("Operator", kName) + column("Count", kCount) + "Status\n\n";
  for (const auto& [what, count] : counts) {
    text += column(what.first, kName) + column(std::to_string(count), kCount) + what.second + "\n";
  }
  return host.empty() ? text : text + "\n" + host;
}

}  // namespace edgetwin
