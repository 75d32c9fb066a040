#include "cli/quantize/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "edgetwin/version.h"
#include "plot/chart.h"
#include "report/format.h"
#include "report/page/charts.h"
#include "report/page/page_parts.h"
#include "report/page/page_style.h"

namespace edgetwin::cli {
using report::Json;
using report::TextTable;

std::string db(double noise) {
  const double d = quantize::decibels(noise);
  return std::isinf(d) ? "exact" : report::fixed_text(d, 1);
}

namespace {

// Noise as a share of the signal. That of 16 bits is far below a thousandth of a percent: a power.
std::string percent(double share) {
  constexpr double kLeast = 1e-5;
  if (share <= 0.0 || share >= kLeast) return report::fixed_text(share * 100.0, 3) + " %";
  const int power = static_cast<int>(std::floor(std::log10(share * 100.0)));
  return report::fixed_text(share * 100.0 / std::pow(10.0, power), 1) + "e" +
         std::to_string(power) + " %";
}

std::string worst_text(const quantize::LayerNoise& l) {
  std::string text;
  for (const auto& c : l.worst) {
    text += (text.empty() ? "" : ", ") + std::to_string(c.channel) + ": " + percent(c.noise);
  }
  return text;
}

int64_t constant_bytes(const Graph& graph) {
  int64_t sum = 0;
  for (const Value& v : graph.values)
    sum += v.is_constant() ? static_cast<int64_t>(v.constant->size()) : 0;
  return sum;
}

}  // namespace

std::string layers_text(const quantize::Analysis& a) {
  constexpr auto kRight = TextTable::Align::right;
  TextTable table({{"layer"},
                   {"bits", kRight},
                   {"exp", kRight},
                   {"alone", kRight},
                   {"accumulated", kRight},
                   {"dB", kRight},
                   {"cosine", kRight},
                   {"worst channels"}});
  for (const auto& l : a.layers) {
    table.add({report::shortened(l.layer, 48), std::to_string(l.bits), std::to_string(l.exponent),
               l.alone ? percent(*l.alone) : "-", percent(l.accumulated), db(l.accumulated),
               report::fixed_text(l.cosine, 6), worst_text(l)});
  }
  return "\nnoise to signal of every layer: alone, fed with float values, and accumulated\n" +
         table.text();
}

namespace {

std::string path_text(const quantize::SearchResult& s) {
  constexpr auto kRight = TextTable::Align::right;
  TextTable table({{""},
                   {"16-bit layers", kRight},
                   {"dB", kRight},
                   {"bytes", kRight},
                   {"16-bit MACs", kRight},
                   {"last one"}});
  for (size_t i = 0; i < s.path.size(); ++i) {
    const auto& p = s.path[i];
    table.add({i == s.chosen ? "->" : "", std::to_string(p.wide), db(p.noise),
               report::count_text(p.constant_bytes),
               report::fixed_text(p.wide_macs * 100.0, 1) + " %", p.last});
  }
  return "\nfrom 8 bits everywhere to 16 in every layer" +
         (s.wanted ? "; wanted: " + report::fixed_text(*s.wanted, 1) + " dB, " +
                         (s.reached ? "reached" : "not reached")
                   : std::string()) +
         "\n" + table.text();
}

Json layer_json(const quantize::LayerNoise& l) {
  Json j = Json::object();
  j.set("layer", l.layer).set("name", l.name).set("tensor", l.tensor).set("bits", l.bits);
  j.set("exponent", l.exponent);
  if (l.alone) j.set("alone", *l.alone);
  j.set("accumulated", l.accumulated).set("cosine", l.cosine);
  Json worst = Json::array();
  for (const auto& c : l.worst) {
    Json one = Json::object();
    one.set("channel", c.channel).set("noise", c.noise);
    worst.push(std::move(one));
  }
  j.set("worst_channels", std::move(worst));
  return j;
}

std::string head_of(const QuantizeOutcome& o) {
  const Graph& g = o.made->quantized.graph;
  size_t wide = 0;
  size_t all = 0;
  for (const auto& t : o.made->quantized.report.tensors) {
    ++all;
    wide += t.bits == 16 ? 1 : 0;
  }
  return "target      " + o.target + ", " + std::to_string(o.made->settings.bits) + " bits, " +
         std::string(quantize::name(o.made->settings.method)) + " over " +
         std::to_string(o.made->samples) + (o.made->samples == 1 ? " sample" : " samples") +
         "\noperators   " + std::to_string(g.ops.size()) + "\ntensors     " + std::to_string(all) +
         ", of them " + std::to_string(wide) + " of 16 bits\nconstants   " +
         report::bytes_text(constant_bytes(g)) + "\n";
}

// Five digits for the eye; --json has all of them.
std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.5g", value);
  return text;
}

std::string exponents_text(const QuantizeOutcome& o) {
  constexpr auto kRight = TextTable::Align::right;
  TextTable table({{"tensor"},
                   {"made by"},
                   {"bits", kRight},
                   {"exp", kRight},
                   {"low", kRight},
                   {"high", kRight}});
  for (const auto& t : o.made->quantized.report.tensors) {
    table.add({report::shortened(t.tensor, 32), report::shortened(t.op, 32), std::to_string(t.bits),
               std::to_string(t.exponent), short_number(t.low), short_number(t.high)});
  }
  return "\n" + table.text();
}

}  // namespace

std::string output_text(const quantize::Analysis& a) {
  return "outputs     signal over noise " + db(a.output_noise) + " dB, cosine " +
         report::fixed_text(a.output_cosine, 6) + "\n";
}

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

std::string text_of(const QuantizeOutcome& o) {
  std::string text = head_of(o);
  if (o.made->analysis) text += output_text(*o.made->analysis);
  text += exponents_text(o);
  if (o.made->search) text += path_text(*o.made->search);
  if (o.made->analysis) text += layers_text(*o.made->analysis);
  return text;
}

void add_analysis(const quantize::Analysis& a, Json& document) {
  Json layers = Json::array();
  for (const auto& l : a.layers) layers.push(layer_json(l));
  document.set("output_noise", a.output_noise);
  document.set("output_cosine", a.output_cosine).set("layers", std::move(layers));
}

void add_json(const QuantizeOutcome& o, Json& document) {
  document.set("model", o.model).set("target", o.target).set("bits", o.made->settings.bits);
  document.set("method", std::string(quantize::name(o.made->settings.method)))
      .set("samples", o.made->samples);
  Json tensors = Json::array();
  for (const auto& t : o.made->quantized.report.tensors) {
    Json j = Json::object();
    j.set("tensor", t.tensor).set("op", t.op).set("bits", t.bits).set("exponent", t.exponent);
    j.set("low", t.low).set("high", t.high);
    tensors.push(std::move(j));
  }
  document.set("tensors", std::move(tensors));
  if (o.made->analysis) add_analysis(*o.made->analysis, document);
  if (!o.made->search) return;
  Json path = Json::array();
  for (const auto& p : o.made->search->path) {
    Json j = Json::object();
    j.set("wide_layers", p.wide).set("last", p.last).set("noise", p.noise);
    j.set("constant_bytes", p.constant_bytes).set("wide_macs", p.wide_macs);
    path.push(std::move(j));
  }
  document.set("search", std::move(path)).set("search_chosen", o.made->search->chosen);
}

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
