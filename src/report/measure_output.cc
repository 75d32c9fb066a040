#include <numeric>

#include "report/format.h"
#include "report/measure.h"

namespace edgetwin::report {
namespace {

using Align = TextTable::Align;

std::string us(double value) { return fixed_text(value, 1); }

std::string rate(int64_t macs, double microseconds) {
  if (macs == 0 || microseconds <= 0.0) return "-";
  return fixed_text(static_cast<double>(macs) / microseconds / 1000.0, 2);
}

std::string share(double part, double whole) {
  return whole > 0.0 ? fixed_text(100.0 * part / whole, 1) : "-";
}

double sum_of_medians(const Timing& t) {
  return std::accumulate(t.steps.begin(), t.steps.end(), 0.0,
                         [](double sum, const Spread& s) { return sum + s.median; });
}

std::string types_text(const exec::Session& session, const Timing& timing) {
  TextTable table({{"operator type"},
                   {"count", Align::right},
                   {"µs", Align::right},
                   {"%", Align::right},
                   {"GMAC/s", Align::right}});
  const double whole = sum_of_medians(timing);
  for (const TypeTime& t : times_by_type(session, timing)) {
    table.add({t.type, std::to_string(t.count), us(t.microseconds), share(t.microseconds, whole),
               rate(t.macs, t.microseconds)});
  }
  return table.text();
}

std::string steps_text(const exec::Session& session, const Timing& timing) {
  TextTable table({{"operator"},
                   {"path"},
                   {"median µs", Align::right},
                   {"min", Align::right},
                   {"p90", Align::right},
                   {"max", Align::right},
                   {"%", Align::right},
                   {"GMAC/s", Align::right}});
  const double whole = sum_of_medians(timing);
  for (size_t i = 0; i < session.steps().size(); ++i) {
    const exec::Step& step = session.steps()[i];
    if (step.folded) continue;
    const Spread& s = timing.steps[i];
    table.add({shortened(step.label, 60), step.path, us(s.median), us(s.min), us(s.p90), us(s.max),
               share(s.median, whole), rate(step.macs, s.median)});
  }
  return table.text();
}

Json spread_json(const Spread& s) {
  Json j = Json::object();
  return j.set("median", s.median).set("min", s.min).set("p90", s.p90).set("max", s.max);
}

}  // namespace

std::string timing_text(const exec::Session& session, const Timing& t, const Machine& machine,
                        const std::string& isa) {
  std::string warm;
  for (const double w : t.warm_up) warm += (warm.empty() ? " " : ", ") + duration_text(w);
  std::string text = "median " + duration_text(t.total.median) + " of " +
                     std::to_string(t.runs.size()) + " runs, measured here\n";
  text += "min " + duration_text(t.total.min) + "  p90 " + duration_text(t.total.p90) + "  max " +
          duration_text(t.total.max) + "; warm-up" + warm + "\n";
  text += "machine " + machine.cpu + ", " + std::to_string(machine.cpus) + " CPUs; " +
          std::to_string(session.options().threads) +
          (session.options().threads == 1 ? " thread" : " threads") + "; instruction set " + isa +
          "; numerics " + session.options().numerics + "\n\n";
  text += types_text(session, t) + "\n" + steps_text(session, t);
  return text + "  operators: medians of " + std::to_string(t.profiled) + " further runs\n";
}

Json timing_json(const exec::Session& session, const Timing& t, const Machine& machine,
                 const std::string& isa) {
  Json m = Json::object();
  m.set("cpu", machine.cpu).set("cpus", machine.cpus).set("isa", isa);
  Json j = Json::object();
  j.set("unit", "microseconds").set("machine", std::move(m));
  j.set("threads", session.options().threads).set("numerics", session.options().numerics);
  j.set("runs", t.runs.size()).set("total", spread_json(t.total));
  j.set("warm_up", Json::list(t.warm_up)).set("each", Json::list(t.runs));
  Json types = Json::array();
  for (const TypeTime& type : times_by_type(session, t)) {
    Json row = Json::object();
    row.set("type", type.type).set("count", type.count).set("time", type.microseconds);
    types.push(row.set("macs", type.macs));
  }
  Json steps = Json::array();
  for (size_t i = 0; i < session.steps().size(); ++i) {
    const exec::Step& step = session.steps()[i];
    Json row = Json::object();
    row.set("operator", step.op_index).set("label", step.label).set("path", step.path);
    row.set("macs", step.macs).set("folded", step.folded).set("time", spread_json(t.steps[i]));
    steps.push(std::move(row));
  }
  j.set("operator_types", std::move(types)).set("profiled_runs", t.profiled);
  return j.set("operators", std::move(steps));
}

}  // namespace edgetwin::report
