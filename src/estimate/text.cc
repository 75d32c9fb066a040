#include "base/shown.h"
#include "estimate/numbers.h"
#include "estimate/output.h"
#include "report/folded.h"
#include "report/format.h"

namespace edgetwin::estimates {
namespace {

using report::TextTable;

std::string energy_text(const EstimateRange& r) {
  return number_text(r.mid) + " µJ (" + number_text(r.low) + " to " + number_text(r.high) + ")";
}

// A line of at most 80 columns, broken between its parts.
std::string line(const std::string& text) { return report::folded(text, 4); }

std::string phases_text(const Estimate& e) {
  std::string text;
  for (const EstimatePhase& p : e.phases) {
    std::string phase = "  " + p.name + (p.once ? " (once): " : ": ");
    phase += p.ms ? ms_range_text(*p.ms) : "not known";
    if (p.energy_uj) phase += ", " + energy_text(*p.energy_uj);
    if (!p.reason.empty()) phase += "; " + p.reason;
    text += line(phase);
  }
  return text.empty() ? text : "phases\n" + text;
}

std::string shortened_name(const std::string& name) {
  return report::shortened(shown_text(name, LineEnds::escape), 20);
}

// Cycles, or what stands for them.
std::string cycles_text(const EstimateLayer& l, bool fitted) {
  if (!l.cycles) return "";
  return (fitted ? "~" : "") + report::count_text(*l.cycles);
}

std::string layers_text(const Estimate& e) {
  if (e.layers.empty()) return "";
  const bool fitted = e.basis.kind != "formula";
  TextTable table({{"#", TextTable::Align::right},
                   {"operator"},
                   {"out"},
                   {"cycles", TextTable::Align::right},
                   {"time", TextTable::Align::right},
                   {"share", TextTable::Align::right},
                   {"bound"}});
  double ms = 0.0;
  int64_t cycles = 0;
  for (const EstimateLayer& l : e.layers) {
    ms += l.ms;
    cycles += l.cycles.value_or(0);
    table.add({std::to_string(l.index), shortened_name(l.op), l.output, cycles_text(l, fitted),
               (fitted ? "~" : "") + ms_text(l.ms), number_text(100.0 * l.share) + " %", l.bound});
  }
  table.add({"", "sum", "", (fitted ? "~" : "") + report::count_text(cycles), ms_text(ms), "", ""});
  table.add({"", "outside layers", "", e.start_cycles > 0 ? std::to_string(e.start_cycles) : "",
             ms_text(e.outside_ms), "", e.outside});
  return "layers" +
         std::string(fitted ? " (~: shares of a fitted sum, not of layers measured)" : "") + "\n" +
         table.text();
}

std::string memory_text(const EstimateMemory& m) {
  std::string text = "memory: " + m.verdict;
  if (!m.reason.empty()) text += ", " + m.reason;
  text += "\n";
  for (const EstimateRegion& r : m.regions) {
    text += "  " + r.name + ": " + report::count_text(r.need) + " of " +
            report::count_text(r.have) + " bytes\n";
    for (const EstimatePart& p : r.parts) {
      text += "    " + p.what + " " + report::count_text(p.bytes) + "\n";
    }
  }
  return text;
}

std::string basis_text(const EstimateBasis& b) {
  if (b.kind.empty()) return "";
  std::string text = "basis: " + b.kind + ", model " + b.model;
  if (b.fitted_on_rows > 0) {
    text += ", fitted on " + std::to_string(b.fitted_on_rows) + " rows (median error " +
            number_text(b.median_error_percent) + " %, largest " +
            number_text(b.largest_error_percent) + " %)";
  }
  return line(text + "; " + b.data);
}

std::string assumptions_text(const Estimate& e) {
  std::string text;
  for (const EstimateAssumption& a : e.assumptions) {
    text += (text.empty() ? "" : ", ") + a.name + " " + a.value + " (" + a.from + ")";
  }
  return text.empty() ? text : line("assumed: " + text);
}

}  // namespace

std::string latency_text(const Estimate& e) {
  if (!e.latency_ms) return "not known: " + e.latency_reason;
  return ms_range_text(*e.latency_ms);
}

std::string to_text(const Estimate& e, bool layers) {
  std::string text = "estimate, not a measurement: ";
  if (e.latency_ms) {
    text += ms_range_text(*e.latency_ms) + ", " + e.headline;
  } else {
    text += "no time for " + e.headline + ": " + e.latency_reason;
  }
  text = line(text);
  text += basis_text(e.basis) + assumptions_text(e) + phases_text(e);
  if (e.energy_uj) {
    text += "energy: " + energy_text(*e.energy_uj) + "\n";
  } else {
    text += line("energy: not known: " + e.energy_reason);
  }
  if (layers) text += layers_text(e);
  text += memory_text(e.memory);
  for (const std::string& n : e.not_modelled) text += line("not modelled: " + n);
  for (const EstimateHint& h : e.hints) text += line("hint " + h.id + ": " + h.text);
  return text;
}

}  // namespace edgetwin::estimates
