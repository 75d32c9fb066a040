// The estimate as a section of a page: bars, with the range as whiskers. Source: specification of
// estimates 5.
#include <algorithm>
#include <vector>

#include "estimate/numbers.h"
#include "estimate/output.h"
#include "report/format.h"

namespace edgetwin::estimates {
namespace {

using report::html_escaped;

constexpr double kSectionWidth = 920, kBarLeft = 250, kBarRight = 190, kRow = 20, kBar = 12;
constexpr size_t kMostLayers = 40;

struct WhiskerBar {
  std::string label, text;
  EstimateRange range;
};

std::string at(double v) { return report::fixed_text(v, 1); }

std::string label_at(double x, double y, const std::string& text, const char* anchor) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\">" +
         html_escaped(text) + "</text>\n";
}

std::string bar_at(const WhiskerBar& b, double y, double scale) {
  const double middle = y + 0.5 * kBar, low = kBarLeft + scale * b.range.low,
               mid = kBarLeft + scale * b.range.mid, high = kBarLeft + scale * b.range.high;
  std::string svg = label_at(kBarLeft - 8, y + 10, report::shortened(b.label, 38), "end");
  svg += "<rect x=\"" + at(kBarLeft) + "\" y=\"" + at(y) + "\" width=\"" +
         at(std::max(mid - kBarLeft, 0.5)) + "\" height=\"" + at(kBar) +
         "\" fill=\"var(--accent)\" fill-opacity=\".7\"><title>" +
         html_escaped(b.label + ": " + b.text) + "</title></rect>\n";
  if (high > low) {
    svg += "<path class=\"whisker\" d=\"M" + at(low) + " " + at(y + 2) + "v" + at(kBar - 4) + "M" +
           at(high) + " " + at(y + 2) + "v" + at(kBar - 4) + "M" + at(low) + " " + at(middle) +
           "H" + at(high) + "\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.4\"/>\n";
  }
  return svg + label_at(std::max(mid, high) + 8, y + 10, b.text, "start");
}

std::string bars_svg(const std::string& name, const std::vector<WhiskerBar>& bars) {
  double most = 0.0;
  for (const WhiskerBar& b : bars) most = std::max({most, b.range.mid, b.range.high});
  const double scale = most > 0.0 ? (kSectionWidth - kBarLeft - kBarRight) / most : 0.0;
  std::string svg = "<svg viewBox=\"0 0 " + at(kSectionWidth) + " " +
                    at(kRow * static_cast<double>(bars.size()) + 4) +
                    "\" width=\"100%\" role=\"img\" aria-label=\"" + html_escaped(name) + "\">\n";
  double y = 2;
  for (const WhiskerBar& b : bars) {
    svg += bar_at(b, y, scale);
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string range_ms(const EstimateRange& r) { return ms_range_text(r); }

std::vector<WhiskerBar> phase_bars(const Estimate& e) {
  std::vector<WhiskerBar> bars;
  if (e.latency_ms) bars.push_back({"latency", range_ms(*e.latency_ms), *e.latency_ms});
  for (const EstimatePhase& p : e.phases) {
    if (p.ms) bars.push_back({p.name + (p.once ? ", once" : ""), range_ms(*p.ms), *p.ms});
  }
  return bars;
}

// The largest layers, in their order. Their range is that of the whole.
std::vector<WhiskerBar> layer_bars(const Estimate& e) {
  std::vector<const EstimateLayer*> layers;
  for (const EstimateLayer& l : e.layers) layers.push_back(&l);
  std::ranges::stable_sort(layers, [](const auto* a, const auto* b) { return a->ms > b->ms; });
  layers.resize(std::min(layers.size(), kMostLayers));
  std::ranges::stable_sort(layers,
                           [](const auto* a, const auto* b) { return a->index < b->index; });
  const double low =
      e.latency_ms && e.latency_ms->mid > 0 ? e.latency_ms->low / e.latency_ms->mid : 1;
  const double high =
      e.latency_ms && e.latency_ms->mid > 0 ? e.latency_ms->high / e.latency_ms->mid : 1;
  std::vector<WhiskerBar> bars;
  for (const EstimateLayer* l : layers) {
    bars.push_back({"#" + std::to_string(l->index) + " " + l->op + " " + l->output,
                    ms_text(l->ms) + ", " + number_text(100.0 * l->share) + " %, " + l->bound,
                    {l->ms * low, l->ms, l->ms * high}});
  }
  return bars;
}

std::string layers_html(const Estimate& e) {
  if (e.layers.empty()) return "";
  std::string html = "<h3>Layers</h3>\n";
  if (e.layers.size() > kMostLayers) {
    html += "<p class=\"soft\">The " + std::to_string(kMostLayers) + " longest of " +
            std::to_string(e.layers.size()) + ".</p>\n";
  }
  return html + bars_svg("estimated time of layers", layer_bars(e));
}

}  // namespace

std::string section_html(const Estimate& e) {
  std::string html = "<h2>Estimate for the chip</h2>\n<p>An estimate, not a measurement: " +
                     html_escaped(e.headline) + ", " + html_escaped(latency_text(e)) +
                     ". Whiskers: low and high end.</p>\n";
  html += bars_svg("estimated time", phase_bars(e)) + layers_html(e);
  html += "<p>Energy: " +
          (e.energy_uj ? html_escaped(number_text(e.energy_uj->mid) + " µJ (" +
                                      number_text(e.energy_uj->low) + " to " +
                                      number_text(e.energy_uj->high) + ")")
                       : "not known: " + html_escaped(e.energy_reason)) +
          ". Memory: " + html_escaped(e.memory.verdict) +
          (e.memory.reason.empty() ? "" : ", " + html_escaped(e.memory.reason)) + ".</p>\n";
  return html;
}

}  // namespace edgetwin::estimates
