// The outlook as text: parts, memory by layer, largest picture, causes.
#include <algorithm>

#include "edgetwin/check.h"
#include "report/format.h"

namespace edgetwin {
namespace {

constexpr int64_t kTileBytes = 196'608;
constexpr size_t kBarWidth = 32, kLabelWidth = 30;
constexpr size_t kMostBars = 100;

std::string count(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string part_text(const EdgetpuOutlook::Part& p, size_t number) {
  std::string text = "part " + std::to_string(number) + ": " + count(p.operators, "operator") +
                     ", " + p.first + " to " + p.last + "\n";
  text += "  parameters: " + report::bytes_text(p.cached_bytes) + " rest in the chip (" +
          std::to_string(p.resident_lines) + " of " + std::to_string(p.resident_room) +
          " lines), " + report::bytes_text(p.streamed_bytes) + " come at every inference\n";
  text += "  activations: " + std::to_string(p.narrow_bytes) + " of " + std::to_string(kTileBytes) +
          " bytes of the fullest tile\n";
  if (!p.end.empty()) text += "  ended by: " + p.end + " [" + p.end_rule + "]\n";
  return text;
}

std::string bar_text(const EdgetpuOutlook::Layer& l) {
  const auto cells = [](int64_t bytes) {
    const auto n = static_cast<size_t>(std::max<int64_t>(0, bytes)) * kBarWidth;
    return std::min(kBarWidth, (n + kTileBytes - 1) / kTileBytes);
  };
  std::string bar = std::string(cells(std::min(l.bytes, l.live_bytes)), '#');
  bar.resize(std::max(bar.size(), cells(l.live_bytes)), '-');
  bar.resize(kBarWidth, ' ');
  std::string label = l.label.substr(0, kLabelWidth);
  label.resize(kLabelWidth, ' ');
  std::string bytes = std::to_string(l.live_bytes);
  bytes.insert(0, bytes.size() < 6 ? 6 - bytes.size() : 0, ' ');
  return "  " + label + " |" + bar + "|" + bytes + "\n";
}

std::string largest_text(const EdgetpuOutlook::Largest& l) {
  const std::string now = std::to_string(l.rows) + "x" + std::to_string(l.columns);
  if (l.most_rows == 0) return "largest picture: none of this ratio fits; it is " + now + "\n";
  std::string text = "largest picture: " + std::to_string(l.most_rows) + "x" +
                     std::to_string(l.most_columns) + "; it is " + now + "\n";
  if (!l.limit.empty()) text += "  one row more: " + l.limit + "\n";
  return text;
}

std::string cause_text(const EdgetpuOutlook::Cause& c) {
  std::string text = "  about " + report::duration_text(c.microseconds) + ": " +
                     count(c.operators, c.kind) + " [" + c.rule + "]";
  if (c.products != 0) text += ", " + report::count_text(c.products) + " products on the host";
  if (c.transferred != 0) text += ", " + report::bytes_text(c.transferred) + " to and fro";
  return text + "\n    " + c.first + ": " + c.why + "\n";
}

}  // namespace

std::string to_text(const EdgetpuOutlook& o) {
  std::string text = std::to_string(o.on_chip) + " of " + count(o.operators, "operator") +
                     " on the chip in " + count(o.parts.size(), "part") + "\n";
  for (size_t k = 0; k < o.parts.size(); ++k) text += part_text(o.parts[k], k);
  if (!o.layers.empty()) {
    text += "narrow memory of the fullest tile by layer: # its result, - others in use\n";
    const size_t shown = std::min(kMostBars, o.layers.size());
    for (size_t k = 0; k < shown; ++k) text += bar_text(o.layers[k]);
    if (shown < o.layers.size()) {
      text += "  and " + std::to_string(o.layers.size() - shown) + " more: --image\n";
    }
  }
  if (o.largest) text += largest_text(*o.largest);
  if (!o.causes.empty()) {
    text += "what keeps operators on the host, by an estimate of what it costs:\n";
    for (const EdgetpuOutlook::Cause& c : o.causes) text += cause_text(c);
  }
  return text;
}

}  // namespace edgetwin
