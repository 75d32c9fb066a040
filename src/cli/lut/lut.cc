#include <cmath>
#include <optional>

#include "base/file.h"
#include "cli/lut/arguments.h"
#include "cli/lut/output.h"
#include "cli/shared/console.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/lut.h"
#include "lut/advise.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// The largest slope says what the nearest rule costs: half a step times it.
std::string formula_line(const lut::TableSpec& spec) {
  double steepest = 0.0;
  double at = 0.0;
  const int low = lut::lowest_input(spec.bits);
  for (int q = low; q < -low; ++q) {
    const double x = std::ldexp(static_cast<double>(q), spec.in_exponent);
    const double slope = std::fabs(spec.formula->slope(x).derivative);
    if (!(slope > steepest)) continue;
    steepest = slope;
    at = x;
  }
  return "  steepest at " + report::real_text(static_cast<float>(at)) + ", slope " +
         report::real_text(static_cast<float>(steepest)) + "\n";
}

std::string function_line(const lut::TableSpec& spec) {
  const lut::FunctionInfo& f = lut::info(spec.function);
  if (spec.formula) return formula_line(spec);
  std::string line = "  " + std::string(f.what);
  const auto add = [&](const char* word, const auto& given, const auto& standard) {
    if (standard)
      line += ", " + std::string(word) + " " + report::real_text(given.value_or(*standard));
  };
  add("alpha", spec.alpha, f.alpha);
  add("beta", spec.beta, f.beta);
  if (!f.edges.empty()) line += "; " + std::string(f.edges);
  return line + "\n";
}

Status write_table(const LutBuildArguments& a, const Tensor& table, const lut::Report& r) {
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  EDGETWIN_TRY_ASSIGN(const Bytes entries, write_npy(table));
  EDGETWIN_TRY(folder.write("table.npy", entries));
  EDGETWIN_TRY_ASSIGN(const Bytes interpolated, outputs_file(r, r.interpolate));
  EDGETWIN_TRY(folder.write("interp.npy", interpolated));
  EDGETWIN_TRY_ASSIGN(const Bytes nearest, outputs_file(r, r.nearest));
  EDGETWIN_TRY(folder.write("nearest.npy", nearest));
  return folder.commit();
}

std::string lsb(const lut::Deviation& d) { return std::to_string(d.largest) + " LSB"; }

// "16 bits step 32", "8 bits"
std::string table_text(const lut::Candidate& c) {
  return c.bits == 8 ? "8 bits" : "16 bits, step " + std::to_string(c.step);
}

std::string candidates_text(const lut::Advice& advice) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"table"},
                           {"bytes", Align::right},
                           {"interpolate", Align::right},
                           {"mean", Align::right},
                           {"real", Align::right},
                           {""},
                           {"nearest", Align::right},
                           {"mean", Align::right},
                           {"real", Align::right},
                           {""}});
  const auto real = [](double v) { return report::real_text(static_cast<float>(v)); };
  for (const lut::Candidate& c : advice.candidates) {
    table.add({table_text(c), report::count_text(c.bytes), lsb(c.interpolate),
               report::fixed_text(c.interpolate.mean, 3), real(c.interpolate.largest_real),
               c.interpolate_suffices ? "yes" : "no", lsb(c.nearest),
               report::fixed_text(c.nearest.mean, 3), real(c.nearest.largest_real),
               c.nearest_suffices ? "yes" : "no"});
  }
  return table.text();
}

std::string best_text(const lut::Advice& advice, const std::optional<size_t>& best) {
  if (!best) return "no table";
  const lut::Candidate& c = advice.candidates[*best];
  return table_text(c) + " (" + report::bytes_text(c.bytes) + ")";
}

Json advice_json(const lut::Advice& advice) {
  Json list = Json::array();
  for (const lut::Candidate& c : advice.candidates) {
    Json j = Json::object();
    j.set("bits", c.bits).set("step", c.step).set("entries", c.entries).set("bytes", c.bytes);
    Json interpolate = lut_deviation_json(advice.spec, c.interpolate);
    Json nearest = lut_deviation_json(advice.spec, c.nearest);
    interpolate.set("suffices", c.interpolate_suffices);
    nearest.set("suffices", c.nearest_suffices);
    list.push(j.set("interpolate", std::move(interpolate)).set("nearest", std::move(nearest)));
  }
  const auto index = [](const std::optional<size_t>& i) { return i ? Json(*i) : Json(); };
  Json j = lut_spec_json(advice.spec);
  const auto& fine = advice.exponent_without_saturation;
  j.set("out_exponent_without_saturation", fine ? Json(*fine) : Json());
  j.set("saturated_inputs", advice.saturated_inputs).set("candidates", std::move(list));
  j.set("best_interpolate", index(advice.best_interpolate));
  return j.set("best_nearest", index(advice.best_nearest));
}

std::string exponent_text(const lut::Advice& advice) {
  const std::string own = std::to_string(advice.spec.out_exponent);
  const auto& fine = advice.exponent_without_saturation;
  if (advice.exponent_was_chosen) {
    return "  output exponent " + own + ": the finest at which nothing saturates\n";
  }
  std::string text = "  output exponent " + own + ": " +
                     report::count_text(advice.saturated_inputs) + " of 65 536 inputs saturate; ";
  text += fine ? "the finest at which none does is " + std::to_string(*fine)
               : "some saturate at every exponent up to 30";
  return text + "\n";
}

}  // namespace

Result<int> execute(const LutBuildArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const lut::TableSpec spec, lut_spec(a.spec, {}));
  EDGETWIN_TRY_ASSIGN(const Tensor table, lut::build(spec));
  EDGETWIN_TRY_ASSIGN(const lut::Report r, lut::examine(spec, table));
  if (!a.output.empty()) EDGETWIN_TRY(write_table(a, table, r));
  const auto bytes = static_cast<int64_t>(table.data.size());
  const std::string verdict = "built: " + report::count_text(r.form.count) + " entries, " +
                              report::count_text(bytes) + " bytes; largest error " +
                              lsb(r.interpolate.deviation) + " interpolated, " +
                              lsb(r.nearest.deviation) + " nearest";
  console.print(to_string(spec) + ", target " + a.spec.target + "\n" + function_line(spec));
  console.print(lut_rules_text(r) + verdict + "\n");
  Json rules = Json::array();
  rules.push(lut_rule_json(spec, r.interpolate)).push(lut_rule_json(spec, r.nearest));
  console.json().set("verdict", verdict).set("target", a.spec.target).merge(lut_spec_json(spec));
  console.json().set("entries", r.form.count).set("bytes", bytes).set("rules", std::move(rules));
  return kYes;
}

Result<int> execute(const LutAdviseArguments& a, Console& console) {
  LutNeeds needs;
  needs.out_exponent = needs.width = needs.target = false;
  EDGETWIN_TRY_ASSIGN(const lut::TableSpec spec, lut_spec(a.spec, needs));
  if (!a.max_error && !a.max_real_error) {
    return Error(ErrorCode::usage, "--max-error or --max-real-error is required")
        .with_hint("edgetwin lut advise --help ends with an example.");
  }
  const lut::Wanted wanted = {a.max_error, a.max_real_error};
  EDGETWIN_TRY_ASSIGN(const lut::Advice advice,
                      lut::advise(spec, wanted, !a.spec.out_exponent.has_value()));
  const std::string limit = a.max_error ? report::value_text(*a.max_error) + " LSB"
                                        : report::real_text(*a.max_real_error) + " (real)";
  const std::string verdict = "smallest within " + limit + ": interpolated (up to 3.3.7) " +
                              best_text(advice, advice.best_interpolate) +
                              "; nearest (from 3.3.8 on) " + best_text(advice, advice.best_nearest);
  lut::TableSpec wide = advice.spec;
  wide.step = 1;
  console.print(lut::function_name(wide) + ", input 2^" + std::to_string(wide.in_exponent) + "\n" +
                function_line(wide));
  console.print(exponent_text(advice) + candidates_text(advice) + verdict + "\n");
  console.json().set("verdict", verdict).merge(advice_json(advice));
  return advice.best_interpolate || advice.best_nearest ? kYes : kNo;
}

}  // namespace edgetwin::cli
