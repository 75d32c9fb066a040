#include "cli/quantize/report.h"

#include <cmath>
#include <cstdio>

#include "report/format.h"

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

std::string output_text(const quantize::Analysis& a) {
  return "outputs     signal over noise " + db(a.output_noise) + " dB, cosine " +
         report::fixed_text(a.output_cosine, 6) + "\n";
}

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

}  // namespace edgetwin::cli
