#include <cmath>

#include "base/shown.h"
#include "estimate/numbers.h"
#include "estimate/output.h"
#include "report/format.h"
#include "twin/compare/parts.h"

namespace edgetwin {
namespace twin {

double decibels(double noise) { return noise > 0.0 ? -10.0 * std::log10(noise) : 120.0; }

std::string decibels_text(const std::optional<double>& noise) {
  return noise ? report::fixed_text(decibels(*noise), 1) : "";
}

std::string verdict_word(const ComparedChip& chip) {
  if (!chip.fits) return "no";
  return chip.estimate ? chip.estimate->memory.verdict : "fits";
}

std::string range_cell(const std::optional<EstimateRange>& r) {
  if (!r) return "";
  using estimates::number_text;
  return number_text(r->mid) + " (" + number_text(r->low) + " to " + number_text(r->high) + ")";
}

std::string accuracy_text(const std::optional<ChipAccuracy>& a) {
  if (!a) return "";
  constexpr double kHundred = 100.0;
  return report::fixed_text(a->value * kHundred, 1) + " (" +
         report::fixed_text(a->low * kHundred, 1) + " to " +
         report::fixed_text(a->high * kHundred, 1) + ")";
}

std::string class_text(const ComparedNetwork& n, int64_t label) {
  const std::string number = std::to_string(label);
  if (label < 0 || static_cast<size_t>(label) >= n.class_names.size()) return number;
  const std::string& name = n.class_names[static_cast<size_t>(label)];
  return name == number ? number : number + " (" + name + ")";
}

namespace {

Json parted_json(const ComparedNetwork& n) {
  Json list = Json::array();
  for (const ComparedSample& s : n.parted) {
    Json chips = Json::object();
    for (size_t i = 0; i < n.chips.size(); ++i) {
      if (n.chips[i].accuracy)
        chips.set(n.chips[i].target, s.chips[i] ? Json(*s.chips[i]) : Json());
    }
    Json one = Json::object();
    one.set("index", s.index).set("name", s.name).set("true", s.label).set("float32", s.real);
    list.push(std::move(one.set("chips", std::move(chips))));
  }
  return list;
}

Json accuracy_json(const std::optional<ChipAccuracy>& a) {
  if (!a) return {};
  Json j = Json::object();
  j.set("right", a->right).set("count", a->count).set("value", a->value);
  return std::move(j.set("low", a->low).set("high", a->high));
}

Json chip_json(const ComparedChip& chip) {
  Json j = Json::object();
  j.set("target", chip.target).set("fits", chip.fits).set("verdict", verdict_word(chip));
  j.set("reason", chip.reason).set("nearest", chip.nearest).set("bytes", chip.bytes);
  j.set("proven", chip.proven ? Json(*chip.proven) : Json()).set("proof", chip.proof);
  j.set("output_signal_to_noise_db",
        chip.output_noise ? Json(decibels(*chip.output_noise)) : Json());
  j.set("top1", accuracy_json(chip.accuracy)).set("top1_reason", chip.accuracy_reason);
  Json layers = Json::array();
  for (const QuantizedLayerNoise& l : chip.layers) {
    Json one = Json::object();
    one.set("layer", l.layer).set("bits", l.bits);
    layers.push(std::move(one.set("signal_to_noise_db", decibels(l.accumulated))));
  }
  j.set("layers", std::move(layers));
  return std::move(j.set("estimate", chip.estimate ? estimates::to_json(*chip.estimate) : Json()));
}

}  // namespace

Json to_json(const std::vector<ComparedNetwork>& networks) {
  Json list = Json::array();
  for (const ComparedNetwork& n : networks) {
    Json chips = Json::array();
    for (const ComparedChip& c : n.chips) chips.push(chip_json(c));
    Json j = Json::object();
    j.set("network", n.file).set("top1", accuracy_json(n.accuracy));
    j.set("disagreements", n.accuracy ? parted_json(n) : Json());
    list.push(std::move(j.set("chips", std::move(chips))));
  }
  return list;
}

std::string parted_text(const ComparedNetwork& n) {
  constexpr size_t kShown = 5;
  if (!n.accuracy) return "";
  std::string text = "  " + std::to_string(n.parted.size()) + " of " +
                     std::to_string(n.accuracy->count) +
                     " samples are not given the same class by all\n";
  for (size_t k = 0; k < std::min(kShown, n.parted.size()); ++k) {
    const ComparedSample& s = n.parted[k];
    text += "    #" + std::to_string(s.index) + " '" + shown_text(s.name, LineEnds::escape) +
            "' is " + class_text(n, s.label) + ": float32 " + class_text(n, s.real);
    for (size_t i = 0; i < n.chips.size(); ++i) {
      if (s.chips[i]) text += ", " + n.chips[i].target + " " + class_text(n, *s.chips[i]);
    }
    text += "\n";
  }
  if (n.parted.size() > kShown) text += "    and more: the page and --json name them\n";
  return text;
}

}  // namespace twin

std::string compare_chips_json(const std::vector<ComparedNetwork>& networks) {
  return twin::to_json(networks).text();
}

std::string compare_chips_text(const std::vector<ComparedNetwork>& networks) {
  using report::TextTable;
  std::string text;
  for (const ComparedNetwork& n : networks) {
    TextTable table({{"chip"},
                     {"room"},
                     {"ms, estimated"},
                     {"uJ"},
                     {"dB", TextTable::Align::right},
                     {"top1 %"},
                     {"proven"}});
    std::string reasons;
    for (const ComparedChip& c : n.chips) {
      table.add({c.target, twin::verdict_word(c),
                 c.estimate ? twin::range_cell(c.estimate->latency_ms) : "",
                 c.estimate ? twin::range_cell(c.estimate->energy_uj) : "",
                 twin::decibels_text(c.output_noise), twin::accuracy_text(c.accuracy),
                 c.proven ? (*c.proven ? "yes" : "differs") : "-"});
      if (!c.reason.empty()) reasons += "  " + c.target + ": " + c.reason + "\n";
      if (!c.accuracy_reason.empty()) {
        reasons += "  " + c.target + ": not counted: " + c.accuracy_reason + "\n";
      }
      if (!c.nearest.empty()) reasons += "    nearest: " + c.nearest + "\n";
    }
    if (n.accuracy) {
      table.add({"float32", "", "", "", "", twin::accuracy_text(n.accuracy), ""});
    }
    text += n.file + "\n" + table.text() + reasons + twin::parted_text(n);
  }
  return text +
         "estimates, not measurements; dB: signal over noise of the integers at the outputs\n";
}

}  // namespace edgetwin
