#include "edgetwin/version.h"
#include "report/format.h"
#include "report/page/page_parts.h"
#include "report/page/page_style.h"
#include "twin/compare/parts.h"

namespace edgetwin {
namespace {

using report::html_escaped;
using report::HtmlTable;

std::string chips_table(const ComparedNetwork& n) {
  HtmlTable table({"chip", "room", "ms, estimated", "µJ, estimated", "dB", "top1 %", "file bytes",
                   "proven", "why not, or what is tight", "nearest change"},
                  {4, 5, 6});
  for (const ComparedChip& c : n.chips) {
    table.add({html_escaped(c.target), twin::verdict_word(c),
               c.estimate ? twin::range_cell(c.estimate->latency_ms) : "",
               c.estimate ? twin::range_cell(c.estimate->energy_uj) : "",
               twin::decibels_text(c.output_noise),
               c.accuracy ? twin::accuracy_text(c.accuracy) : html_escaped(c.accuracy_reason),
               c.bytes > 0 ? report::count_text(c.bytes) : "",
               (c.proven ? std::string(*c.proven ? "yes: " : "<b>differs</b>: ") : std::string()) +
                   html_escaped(c.proof),
               html_escaped(c.reason), html_escaped(c.nearest)});
  }
  if (n.accuracy) {
    table.add({"float32", "", "", "", "", twin::accuracy_text(n.accuracy), "", "", "", ""});
  }
  return "<div class=\"sentences\">" + table.html() + "</div>\n";
}

// More would make the page slow; the JSON document has all.
constexpr size_t kMostSamples = 500;

std::string class_cell(const ComparedNetwork& n, int64_t best, int64_t label) {
  const std::string text = html_escaped(twin::class_text(n, best));
  return best == label ? text : "<b>" + text + "</b>";
}

// Where the chips disagree, sample by sample.
std::string samples_table(const ComparedNetwork& n) {
  if (!n.accuracy) return "";
  std::string text = "<h3>Where the chips disagree</h3>\n<p>" + std::to_string(n.parted.size()) +
                     " of " + std::to_string(n.accuracy->count) +
                     " samples are not given the same class by the float network and all chips. "
                     "Wrong answers are bold.";
  if (n.parted.size() > kMostSamples) {
    text += " The first " + std::to_string(kMostSamples) + "; --json has all.";
  }
  text += "</p>\n";
  if (n.parted.empty()) return text;
  std::vector<std::string> head = {"sample", "name", "true", "float32"};
  std::vector<size_t> shown;  // chips whose answers were counted
  for (size_t i = 0; i < n.chips.size(); ++i) {
    if (!n.chips[i].accuracy) continue;
    shown.push_back(i);
    head.push_back(html_escaped(n.chips[i].target));
  }
  HtmlTable table(head, {0});
  for (size_t k = 0; k < std::min(kMostSamples, n.parted.size()); ++k) {
    const ComparedSample& s = n.parted[k];
    std::vector<std::string> row = {std::to_string(s.index), html_escaped(s.name),
                                    html_escaped(twin::class_text(n, s.label)),
                                    class_cell(n, s.real, s.label)};
    for (const size_t i : shown) {
      row.push_back(s.chips[i] ? class_cell(n, *s.chips[i], s.label) : "");
    }
    table.add(row);
  }
  return text + table.html();
}

std::string memory_table(const ComparedNetwork& n) {
  HtmlTable table({"chip", "region", "needs", "has", "parts"}, {2, 3});
  for (const ComparedChip& c : n.chips) {
    if (!c.estimate) continue;
    for (const EstimateRegion& r : c.estimate->memory.regions) {
      std::string parts;
      for (const EstimatePart& p : r.parts) {
        parts += (parts.empty() ? "" : ", ") + p.what + " " + report::count_text(p.bytes);
      }
      table.add({html_escaped(c.target), html_escaped(r.name), report::count_text(r.need),
                 report::count_text(r.have), html_escaped(parts)});
    }
  }
  return "<h3>Memory</h3>\n" + table.html();
}

std::string basis_list(const ComparedNetwork& n) {
  std::string text = "<h3>What the numbers rest on</h3>\n<ul>\n";
  for (const ComparedChip& c : n.chips) {
    if (!c.estimate || !c.estimate->latency_ms) continue;
    const EstimateBasis& b = c.estimate->basis;
    text +=
        "<li>" +
        html_escaped(c.estimate->headline + ": " + b.kind + ", model " + b.model + "; " + b.data) +
        "</li>\n";
    for (const EstimateHint& h : c.estimate->hints) {
      text += "<li>" + html_escaped(c.target + ", " + h.id + ": " + h.text) + "</li>\n";
    }
  }
  return text + "</ul>\n";
}

std::string network_section(const ComparedNetwork& n) {
  std::string text = "<h2>" + html_escaped(n.file) + "</h2>\n" + chips_table(n);
  const std::string chart = twin::noise_chart(n);
  if (!chart.empty()) text += "<h3>Signal over noise by layer</h3>\n" + chart;
  return text + samples_table(n) + memory_table(n) + basis_list(n);
}

// A row for each network, a column for each chip.
std::string all_table(const std::vector<ComparedNetwork>& networks) {
  std::vector<std::string> head = {"network", "float32 top1 %"};
  for (const ComparedChip& c : networks[0].chips) head.push_back(html_escaped(c.target));
  HtmlTable table(head, {});
  for (const ComparedNetwork& n : networks) {
    std::vector<std::string> row = {html_escaped(n.file), twin::accuracy_text(n.accuracy)};
    for (const ComparedChip& c : n.chips) {
      std::string cell = twin::verdict_word(c);
      if (c.estimate && c.fits && c.estimate->latency_ms) {
        cell += ", " + twin::range_cell(c.estimate->latency_ms) + " ms";
      }
      if (c.estimate && c.fits && c.estimate->energy_uj) {
        cell += ", " + twin::range_cell(c.estimate->energy_uj) + " µJ";
      }
      if (c.accuracy) cell += ", " + twin::accuracy_text(c.accuracy) + " %";
      row.push_back(html_escaped(cell));
    }
    table.add(row);
  }
  return table.html();
}

std::string pareto_section(const std::vector<ComparedNetwork>& networks) {
  if (networks.size() < 2) return "";
  std::string text = "<h2>All networks</h2>\n" + all_table(networks);
  return text + twin::pareto_chart(networks, false) + twin::pareto_chart(networks, true);
}

}  // namespace

std::string compare_chips_page(const std::vector<ComparedNetwork>& networks,
                               const std::string& command) {
  size_t fit = 0, all = 0;
  bool counted = false;
  for (const ComparedNetwork& n : networks) {
    counted = counted || n.accuracy.has_value();
    for (const ComparedChip& c : n.chips) {
      ++all;
      fit += c.fits ? 1 : 0;
    }
  }
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>Chips compared – edgetwin</title><style>" +
      std::string(report::kPageStyle) +
      "</style></head><body><main>\n<header><h1>Chips compared</h1><span class=\"soft\">edgetwin " +
      html_escaped(version()) + "</span></header>\n<p>" + std::to_string(fit) + " of " +
      std::to_string(all) +
      " fit. Times and energies are estimates with their range, not measurements; accuracy " +
      (counted ? "is counted over the data set, with its 95 % interval" : "was not counted") +
      ".</p>\n";
  html += pareto_section(networks);
  for (const ComparedNetwork& n : networks) html += network_section(n);
  return html + "<h2>How to repeat it</h2>\n<pre>" + html_escaped(command) +
         "</pre>\n</main></body></html>\n";
}

}  // namespace edgetwin
