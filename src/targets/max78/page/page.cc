#include "targets/max78/page/page.h"

#include "report/format.h"
#include "report/page/page_parts.h"
#include "report/page/page_style.h"
#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/page/memory_drawing.h"
#include "targets/max78/page/texts.h"

namespace edgetwin::max78 {
namespace {

using report::html_escaped;
using report::HtmlTable;

std::string size_of(Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); }

std::string asked_table(const NetworkPage& page) {
  std::string html = "<h2>What was asked</h2>\n<table class=\"asked\"><tbody>";
  for (const auto& [what, which] : page.asked) {
    html += "<tr><td>" + html_escaped(what) + "</td><td><code>" + html_escaped(which) +
            "</code></td></tr>";
  }
  return html + "</tbody></table>\n";
}

std::string findings_table(const NetworkPage& page) {
  if (page.findings.empty()) return "<h2>Findings</h2>\n<p>None.</p>\n";
  std::string html = "<h2>Findings</h2>\n";
  for (const Finding& f : page.findings) {
    const std::string word(name(f.severity));
    html += "<div class=\"finding " + word + "\"><b>" + word + " " + html_escaped(f.id) + "</b> " +
            html_escaped(line_text(f));
    if (!f.place.empty()) html += "<br><code>" + html_escaped(to_text(f.place)) + "</code>";
    if (!f.hint.empty()) html += "<br><span class=\"soft\">" + html_escaped(f.hint) + "</span>";
    html += "</div>\n";
  }
  return html;
}

std::string fact(const std::string& value, const char* what) {
  return "<div class=\"fact\"><b>" + html_escaped(value) + "</b><span>" + what + "</span></div>";
}

std::string facts(const Plan& plan) {
  const Statistics s = statistics(plan);
  const auto share = [](int64_t part, int64_t whole) {
    return report::fixed_text(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) +
           " %";
  };
  std::string html = "<div class=\"facts\">";
  html += fact(std::to_string(static_cast<int64_t>(plan.order.size())), "layers");
  html += fact(report::count_text(s.operations.macc), "multiply-accumulates");
  html += fact(share(s.weight_bytes, s.weight_bytes_total), "of kernel memory");
  html += fact(share(s.bias_bytes, s.bias_bytes_total), "of bias memory");
  if (s.cycles > 0) {
    html += fact(report::count_text(s.cycles), "cycles, an estimate");
    html +=
        fact(report::duration_text(1000.0 * estimated_ms(plan)), "without loading, an estimate");
  }
  return html + "</div>\n";
}

std::string layers_table(const Planning& plan) {
  HtmlTable table({"layer", "name", "operator", "input", "output", "bits", "input bytes",
                   "output bytes", "columns"},
                  {0, 5});
  const auto range = [](int64_t begin, int64_t end) {
    return begin >= end ? std::string("–") : std::to_string(begin) + "–" + std::to_string(end - 1);
  };
  const auto hex_range = [](int64_t begin, int64_t end) {
    return begin >= end ? std::string("–") : offset_text(begin) + "–" + offset_text(end - 1);
  };
  for (const LayerPlace& p : layer_places(plan)) {
    const HardwareLayer& l = plan.hardware->layer(p.layer);
    std::string columns = range(p.kernel_begin, p.kernel_end);
    if (p.kernels_of >= 0) columns += " of layer " + std::to_string(p.kernels_of);
    table.add({std::to_string(p.layer), html_escaped(l.yaml->name), html_escaped(operator_text(l)),
               std::to_string(l.in_channels) + "x" + size_of(l.in_dim),
               std::to_string(l.out_channels) + "x" + size_of(l.out_dim),
               l.quantization < 0    ? "binary"
               : l.quantization == 0 ? ""
                                     : std::to_string(l.quantization),
               hex_range(p.in_begin, p.in_end), hex_range(p.out_begin, p.out_end), columns});
  }
  return "<h2>Layers</h2>\n<div class=\"scroll\">" + table.html() + "</div>\n";
}

std::string results_table(const NetworkPage& page) {
  if (page.results.empty()) return "";
  HtmlTable table({"layer", "form", "least", "largest", "mean", "beside the reference"}, {2, 3, 4});
  for (const ResultRow& r : page.results) {
    table.add({html_escaped(r.layer), html_escaped(r.form), html_escaped(r.least),
               html_escaped(r.largest), html_escaped(r.mean), html_escaped(r.comparison)});
  }
  return "<h2>Results</h2>\n<div class=\"scroll\">" + table.html() + "</div>\n";
}

std::string overlap_list(const Planning& plan) {
  const auto regions = data_regions(plan);
  std::string lost, in_place;
  for (const Overlap& o : overlaps(regions)) {
    if (!o.harmful) continue;
    (is_lost(plan, regions, o) ? lost : in_place) +=
        "<li>" + html_escaped(overlap_text(plan, regions, o)) + "</li>\n";
  }
  std::string html = lost.empty()
                         ? "<p>No data is written over before its last reader.</p>\n"
                         : "<p>Written over before its last reader:</p>\n<ul>\n" + lost + "</ul>\n";
  if (!in_place.empty()) {
    html +=
        "<p>Written over by the layer that reads it, which is right as long as it writes "
        "after what it reads:</p>\n<ul>\n" +
        in_place + "</ul>\n";
  }
  return html;
}

std::string memory_sections(const Planning& plan) {
  std::string html =
      "<h2>Data memory</h2>\n<p class=\"method\">From left to right the layers as they run, from "
      "bottom to top the bytes of a data memory, hexadecimal, as far as they are used. A rectangle "
      "is data, from the layer that writes "
      "it to the last one that reads it. Memories with the same contents share a "
      "panel. A red frame means that data is lost.</p>\n" +
      to_svg(data_memory_drawing(plan)) + overlap_list(plan);
  if (!plan.placed) return html;
  html +=
      "<h2>Kernel memory</h2>\n<p class=\"method\">From left to right the processors, from bottom "
      "to top the columns of nine bytes.</p>\n" +
      to_svg(kernel_memory_drawing(plan));
  return html +
         "<h2>Bias memory</h2>\n<p class=\"method\">One row for each group of 16 "
         "processors.</p>\n" +
         to_svg(bias_memory_drawing(plan));
}

}  // namespace

std::string html_page(const NetworkPage& page) {
  const std::string title = html_escaped(page.title);
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" +
      title + " – edgetwin</title><style>" + std::string(report::kPageStyle) +
      "</style></head><body><main>\n<header><h1>" + title + "</h1><span class=\"soft\">edgetwin " +
      html_escaped(page.version) + "</span></header>\n<p class=\"verdict " +
      (page.yes ? "yes" : "no") + "\">" + html_escaped(page.verdict) + "</p>\n";
  // Sizes and places are there once the rules on sizes held.
  const bool sized = page.plan != nullptr && page.plan->hardware != nullptr;
  if (sized && page.yes) html += facts(*page.plan->placed);
  html += asked_table(page) + findings_table(page);
  html += results_table(page);
  if (sized) html += layers_table(*page.plan) + memory_sections(*page.plan);
  return html + page.estimate + "<h2>How to repeat it</h2>\n<pre>" + html_escaped(page.command) +
         "</pre>\n</main></body></html>\n";
}

}  // namespace edgetwin::max78
