#include "cli/lut/output.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include "base/words/near_word.h"
#include "edgetwin/target.h"
#include "ops/registry/numerics.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Error missing(const std::string& option) {
  return Error(ErrorCode::usage, option + " is required")
      .with_hint("edgetwin lut --help lists the verbs; docs/lut.md has examples.");
}

// The numbers of "3.3.9"; the parser has checked its form.
std::array<long, 3> numbers_of(const std::string& version) {
  std::array<long, 3> numbers = {};
  const char* at = version.c_str();
  for (long& n : numbers) {
    char* end = nullptr;
    n = std::strtol(at, &end, 10);
    at = *end == '.' ? end + 1 : end;
  }
  return numbers;
}

std::string percent(int64_t part, int64_t whole) {
  return report::fixed_text(100.0 * static_cast<double>(part) / static_cast<double>(whole), 2) +
         " %";
}

std::string real(double value) { return report::real_text(static_cast<float>(value)); }

}  // namespace

std::optional<numerics::Rounding> lut_rounding(std::string_view target) {
  const Target* t = find_target(target);
  if (t == nullptr || t->family != Family::espdl) return std::nullopt;
  return ops::find_numerics(t->numerics)->rounding;
}

Result<lut::TableSpec> lut_spec(const LutSpecArguments& a, const LutNeeds& needs) {
  const auto function = lut::function_from_name(a.function);
  if (a.formula.empty() == a.function.empty()) {
    return Error(ErrorCode::usage, a.formula.empty() ? "FUNCTION or --formula is required"
                                                     : "FUNCTION and --formula say the same twice")
        .with_hint("edgetwin lut build --help lists the functions.");
  }
  if (a.formula.empty() && !function) {
    std::vector<std::string> known;
    for (const lut::FunctionInfo& f : lut::all_functions()) known.emplace_back(f.name);
    return Error(ErrorCode::usage,
                 "there is no function '" + a.function + "'" + did_you_mean(a.function, known))
        .with_hint("edgetwin lut build --help lists the functions; --formula takes others.");
  }
  if (!a.in_exponent) return missing("--in-exponent");
  if (needs.out_exponent && !a.out_exponent) return missing("--out-exponent");
  if (needs.width && !a.bits) return missing("--bits");
  if (needs.width && *a.bits == 16 && !a.step) return missing("--step");
  if (needs.target && a.target.empty()) return missing("--target");
  lut::TableSpec spec;
  if (function) spec.function = *function;
  if (!a.formula.empty()) EDGETWIN_TRY(lut::set_formula(spec, a.formula));
  spec.in_exponent = *a.in_exponent;
  spec.out_exponent = a.out_exponent.value_or(0);
  spec.bits = a.bits.value_or(16);
  spec.step = a.step.value_or(1);
  spec.rounding = lut_rounding(a.target).value_or(numerics::Rounding::half_even);
  spec.alpha = a.alpha;
  spec.beta = a.beta;
  return spec;
}

std::string_view lut_runtimes(lut::LutRule rule) {
  return rule == lut::LutRule::interpolate ? "up to 3.3.7" : "from 3.3.8 on";
}

lut::LutRule lut_rule_of(const std::string& version) {
  const std::array<long, 3> last_interpolating = {3, 3, 7};
  return numbers_of(version) <= last_interpolating ? lut::LutRule::interpolate
                                                   : lut::LutRule::nearest;
}

std::string lut_rules_text(const lut::Report& r) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"rule"},
                           {"runtimes"},
                           {"largest", Align::right},
                           {"at input", Align::right},
                           {"real input", Align::right},
                           {"output", Align::right},
                           {"ideal", Align::right},
                           {"mean", Align::right},
                           {"differing", Align::right},
                           {"largest real", Align::right}});
  for (const lut::RuleReport* rule : {&r.interpolate, &r.nearest}) {
    // A table with an entry for every input leaves the rules nothing to do.
    if (r.form.step == 1 && rule == &r.nearest) continue;
    const std::string name = r.form.step == 1 ? "look-up" : std::string(lut::name(rule->rule));
    const std::string runtimes = r.form.step == 1 ? "all" : std::string(lut_runtimes(rule->rule));
    if (!rule->runs) {
      table.add({name, runtimes, "stops", "", "", "", "", "", "", ""});
      continue;
    }
    const lut::Deviation& d = rule->deviation;
    const bool any = d.largest > 0;
    table.add({name, runtimes, std::to_string(d.largest) + " LSB", any ? std::to_string(d.at) : "-",
               any ? real(std::ldexp(d.at, r.spec.in_exponent)) : "-",
               any ? std::to_string(d.got) : "-", any ? std::to_string(d.wanted) : "-",
               report::fixed_text(d.mean, 4), percent(d.differing, d.inputs),
               real(d.largest_real)});
  }
  return table.text();
}

Json lut_spec_json(const lut::TableSpec& spec) {
  const lut::FunctionInfo& f = lut::info(spec.function);
  Json j = Json::object();
  j.set("function", lut::function_name(spec)).set("formula", lut::function_text(spec));
  j.set("bits", spec.bits);
  j.set("in_exponent", spec.in_exponent).set("out_exponent", spec.out_exponent);
  j.set("step", spec.step);
  j.set("rounding", spec.rounding == numerics::Rounding::half_even ? "half_even" : "half_up");
  const auto set = [&](const char* key, const auto& given, const auto& standard) {
    if (standard) j.set(key, static_cast<double>(given.value_or(*standard)));
  };
  if (spec.formula) return j;
  set("alpha", spec.alpha, f.alpha);
  set("beta", spec.beta, f.beta);
  return j;
}

Json lut_deviation_json(const lut::TableSpec& spec, const lut::Deviation& d) {
  Json j = Json::object();
  j.set("inputs", d.inputs).set("differing", d.differing).set("largest_lsb", d.largest);
  if (d.largest > 0) {
    j.set("at_input", d.at).set("at_real", std::ldexp(d.at, spec.in_exponent));
    j.set("output", d.got).set("ideal", d.wanted);
  }
  j.set("mean_lsb", d.mean).set("largest_real", d.largest_real);
  return j.set("largest_real_at_input", d.largest_real_at);
}

Json lut_rule_json(const lut::TableSpec& spec, const lut::RuleReport& rule) {
  Json j = Json::object();
  j.set("rule", lut::name(rule.rule)).set("runtimes", lut_runtimes(rule.rule));
  j.set("runs", rule.runs);
  if (!rule.runs) return j;
  j.merge(lut_deviation_json(spec, rule.deviation));
  Json stress = Json::array();
  for (const lut::Stress& s : rule.stress) {
    Json one = Json::object();
    stress.push(one.set("real", s.real).set("input", s.input).set("output", s.output));
  }
  return j.set("stress", std::move(stress));
}

}  // namespace edgetwin::cli
