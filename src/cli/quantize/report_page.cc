// The page of `quantize`, and the picture of its search.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/quantize/report.h"
#include "edgetwin/version.h"
#include "plot/chart.h"
#include "report/format.h"
#include "report/page/charts.h"
#include "report/page/page_parts.h"
#include "report/page/page_style.h"

namespace edgetwin::cli {

std::string noise_bars(const quantize::Analysis& a) {
  std::vector<report::Bar> alone;
  std::vector<report::Bar> accumulated;
  for (const auto& l : a.layers) {
    const auto bar = [&](double noise) {
      const char* const unit = noise > 0.0 ? " dB" : "";  // "exact"
      return report::Bar{report::shortened(l.layer, 40), db(noise) + unit, l.layer,
                         std::sqrt(noise)};
    };
    if (l.alone) alone.push_back(bar(*l.alone));
    accumulated.push_back(bar(l.accumulated));
  }
  return "<h2>Noise of each layer alone</h2>\n<p class=\"method\">Signal over noise in decibels; "
         "the longer the "
         "bar, the more noise.</p>\n" +
         report::bar_chart(alone) + "<h2>Noise accumulated from the input on</h2>\n" +
         report::bar_chart(accumulated);
}

namespace {

std::string search_bars(const quantize::SearchResult& s) {
  std::vector<report::Bar> bars;
  const auto clamped = [](double noise) {
    return std::clamp(quantize::decibels(noise), 0.0, 200.0);
  };
  double least = 200.0;
  double most = 0.0;
  for (const auto& p : s.path) {
    least = std::min(least, clamped(p.noise));
    most = std::max(most, clamped(p.noise));
  }
  const double from = std::floor(least - (most - least) / 10.0);
  for (size_t i = 0; i < s.path.size(); ++i) {
    const auto& p = s.path[i];
    bars.push_back({std::to_string(p.wide) + (i == s.chosen ? " layers (chosen)" : " layers"),
                    db(p.noise) + " dB, " + report::size_text(p.constant_bytes), p.last,
                    clamped(p.noise) - from});
  }
  return "<h2>From 8 to 16 bits</h2>\n<p>Signal over noise at the outputs by the number of 16-bit "
         "layers; bars begin at " +
         report::fixed_text(from, 0) + " dB." +
         (s.wanted ? " Wanted: " + report::fixed_text(*s.wanted, 1) + " dB." : std::string()) +
         "</p>\n" + report::bar_chart(bars);
}

std::string tensor_rows(const QuantizeOutcome& o) {
  report::HtmlTable table({"tensor", "made by", "bits", "exponent", "low", "high"}, {2, 3, 4, 5});
  for (const auto& t : o.made->quantized.report.tensors) {
    table.add({report::name_cell(t.tensor), report::name_cell(t.op), std::to_string(t.bits),
               std::to_string(t.exponent), report::real_text(t.low), report::real_text(t.high)});
  }
  return "<h2>Tensors</h2>\n" + table.html();
}

std::string finding_rows(const QuantizeOutcome& o) {
  report::HtmlTable table({"where", "what", "what to do"}, {});
  for (const Finding& f : o.made->quantized.report.findings) {
    table.add({report::html_escaped(to_text(f.place)), report::html_escaped(line_text(f)),
               report::html_escaped(f.hint)});
  }
  return "<h2>Findings</h2>\n" +
         (o.made->quantized.report.findings.empty() ? "<p>None.</p>\n" : table.html());
}

}  // namespace

Result<Bytes> plot_of(const QuantizeOutcome& o) {
  using plot::Series;
  Series noise = {"signal over noise", plot::kBlue, Series::Style::line, 2.5, {}, {}};
  Series measured = {"", plot::kBlue, Series::Style::points, 7.0, {}, {}};
  Series chosen = {"chosen", plot::kRed, Series::Style::points, 13.0, {}, {}};
  Series bytes = {"constants", plot::kGreen, Series::Style::line, 2.5, {}, {}};
  Series at = {"", plot::kRed, Series::Style::points, 11.0, {}, {}};
  for (size_t i = 0; i < o.made->search->path.size(); ++i) {
    const auto& p = o.made->search->path[i];
    const auto x = static_cast<double>(p.wide);
    const double y = std::clamp(quantize::decibels(p.noise), 0.0, 200.0);
    const double size = static_cast<double>(p.constant_bytes) / 1024.0;
    const auto put = [](Series& s, double px, double py) {
      s.x.push_back(px);
      s.y.push_back(py);
    };
    if (i == o.made->search->chosen) {
      put(chosen, x, y);
      put(at, x, size);
    }
    put(noise, x, y);
    put(measured, x, y);
    put(bytes, x, size);
  }
  Series wanted = {"wanted", plot::kOrange, Series::Style::line, 1.5, {}, {}};
  if (o.wanted) {
    for (const auto* p : {&o.made->search->path.front(), &o.made->search->path.back()}) {
      wanted.x.push_back(static_cast<double>(p->wide));
      wanted.y.push_back(*o.wanted);
    }
  }
  plot::Chart chart;
  chart.title = "From 8 to 16 bits";
  // Without folders: the same network gives the same picture wherever it lies.
  chart.subtitle = std::filesystem::path(o.model).filename().string() + ", " + o.target;
  chart.x_label = "layers of 16 bits";
  chart.whole_x = true;
  chart.panels.push_back({"dB", {noise, measured, chosen}, 1.6, std::nullopt});
  if (o.wanted) chart.panels.back().series.push_back(wanted);
  chart.panels.push_back({"KiB", {bytes, at}, 1.0, std::nullopt});
  return plot::render_png(chart);
}

std::string page_of(const PageText& page) {
  const std::string title = report::html_escaped(page.title);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" +
         title + " – edgetwin quantize</title><style>" + std::string(report::kPageStyle) +
         "</style></head><body><main>\n<header><h1>" + title +
         "</h1><span class=\"soft\">edgetwin " + report::html_escaped(version()) +
         "</span></header>\n" +
         (page.verdict.empty() ? ""
                               : "<p class=\"verdict " + std::string(page.good ? "yes" : "no") +
                                     "\">" + report::html_escaped(page.verdict) + "</p>\n") +
         "<pre>" + report::html_escaped(page.head) + "</pre>\n" + page.body +
         "<h2>How to repeat it</h2>\n<pre>" + report::html_escaped(page.command) +
         "</pre>\n</main></body></html>\n";
}

namespace {

// The file was checked, read again and executed before it was written.
std::string verdict_of(const QuantizeOutcome& o) {
  std::string text = "The chip can run it: checked for " + o.target + " and executed";
  if (o.made->analysis) text += "; " + db(o.made->analysis->output_noise) + " dB at the outputs";
  return o.wanted ? text + ", wanted are " + report::fixed_text(*o.wanted, 1) + " dB" : text;
}

}  // namespace

std::string html_of(const QuantizeOutcome& o) {
  PageText page;
  page.title = std::filesystem::path(o.model).filename().string();
  page.good = o.made->missing.empty();
  page.verdict = page.good ? verdict_of(o) : "Not reached: " + o.made->missing;
  page.head = head_of(o) + (o.made->analysis ? output_text(*o.made->analysis) : "");
  if (o.made->search) page.body += search_bars(*o.made->search);
  if (o.made->analysis) page.body += noise_bars(*o.made->analysis);
  page.body += tensor_rows(o) + finding_rows(o);
  page.command = o.command;
  return page_of(page);
}

}  // namespace edgetwin::cli
