#include "base/shown.h"
#include "estimate/numbers.h"
#include "estimate/output.h"
#include "report/format.h"

namespace edgetwin::estimates {
namespace {

using report::TextTable;

std::string range_text(const EstimateRange& r, const std::string& unit) {
  return number_text(r.mid) + " " + unit + " (" + number_text(r.low) + " to " +
         number_text(r.high) + ")";
}

std::string phases_text(const Estimate& e) {
  std::string text;
  for (const EstimatePhase& p : e.phases) {
    text += "  " + p.name + (p.once ? " (once): " : ": ");
    text += p.ms ? range_text(*p.ms, "ms") : "not known";
    if (p.energy_uj) text += ", " + range_text(*p.energy_uj, "uJ");
    if (!p.reason.empty()) text += "; " + p.reason;
    text += "\n";
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
                   {"ms", TextTable::Align::right},
                   {"share", TextTable::Align::right},
                   {"bound"}});
  double ms = 0.0;
  int64_t cycles = 0;
  for (const EstimateLayer& l : e.layers) {
    ms += l.ms;
    cycles += l.cycles.value_or(0);
    table.add({std::to_string(l.index), shortened_name(l.op), l.output, cycles_text(l, fitted),
               (fitted ? "~" : "") + number_text(l.ms), number_text(100.0 * l.share) + " %",
               l.bound});
  }
  table.add(
      {"", "sum", "", (fitted ? "~" : "") + report::count_text(cycles), number_text(ms), "", ""});
  table.add({"", "outside layers", "", e.start_cycles > 0 ? std::to_string(e.start_cycles) : "",
             number_text(e.outside_ms), "", e.outside});
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
  return text + "; " + b.data + "\n";
}

std::string assumptions_text(const Estimate& e) {
  std::string text;
  for (const EstimateAssumption& a : e.assumptions) {
    text += (text.empty() ? "" : ", ") + a.name + " " + a.value + " (" + a.from + ")";
  }
  return text.empty() ? text : "assumed: " + text + "\n";
}

}  // namespace

std::string latency_text(const Estimate& e) {
  if (!e.latency_ms) return "not known: " + e.latency_reason;
  return range_text(*e.latency_ms, "ms");
}

std::string to_text(const Estimate& e, bool layers) {
  std::string text = "estimate, not a measurement: ";
  if (e.latency_ms) {
    text += ms_text(e.latency_ms->mid) + " (" + number_text(e.latency_ms->low) + " to " +
            number_text(e.latency_ms->high) + "), " + e.headline + "\n";
  } else {
    text += "no time for " + e.headline + ": " + e.latency_reason + "\n";
  }
  text += basis_text(e.basis) + assumptions_text(e) + phases_text(e);
  if (e.energy_uj) {
    text += "energy: " + range_text(*e.energy_uj, "uJ") + "\n";
  } else {
    text += "energy: not known: " + e.energy_reason + "\n";
  }
  if (layers) text += layers_text(e);
  text += memory_text(e.memory);
  for (const std::string& n : e.not_modelled) text += "not modelled: " + n + "\n";
  for (const EstimateHint& h : e.hints) text += "hint " + h.id + ": " + h.text + "\n";
  return text;
}

}  // namespace edgetwin::estimates
