#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "cli/lut/arguments.h"
#include "cli/lut/output.h"
#include "cli/shared/console.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/lut.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// A table that should be looked at, wherever it comes from.
struct Subject {
  ExaminedTable table;
  bool of_model = false;
};

std::string numbered(size_t k, const char* rest) { return "lut_" + std::to_string(k) + rest; }

Finding named(const Finding& finding, const std::string& file) {
  Finding f = finding;
  if (f.place.empty()) f.place = file;
  return f;
}

// A model says all of this itself.
Status refuse_function_options(const LutSpecArguments& spec) {
  const std::pair<bool, const char*> options[] = {{spec.in_exponent.has_value(), "--in-exponent"},
                                                  {spec.out_exponent.has_value(), "--out-exponent"},
                                                  {spec.bits.has_value(), "--bits"},
                                                  {spec.step.has_value(), "--step"},
                                                  {spec.alpha.has_value(), "--alpha"},
                                                  {spec.beta.has_value(), "--beta"}};
  for (const auto& [given, option] : options) {
    if (!given) continue;
    return Error(ErrorCode::usage,
                 std::string(option) + " goes with a function: a model says it itself")
        .in_file(spec.function)
        .with_hint(std::string("Leave ") + option + " out.");
  }
  return Ok{};
}

Result<std::vector<Subject>> subjects_of_model(const LutSweepArguments& a, Console& console) {
  const std::string& file = a.spec.function;
  EDGETWIN_TRY_ASSIGN(ExaminedModel model,
                      examine_tables(file, a.spec.target, a.key, console.progress_sink()));
  EDGETWIN_TRY(refuse_function_options(a.spec));
  for (const Finding& f : model.findings) console.finding(named(f, file));
  std::vector<Subject> subjects;
  for (ExaminedTable& t : model.tables) subjects.push_back({std::move(t), true});
  return subjects;
}

// A table in a file, which should hold the function that the options describe.
Result<Subject> subject_of_table(const LutSweepArguments& a) {
  Subject s;
  LutNeeds needs;
  needs.width = false;
  EDGETWIN_TRY_ASSIGN(const lut::TableSpec spec, lut_spec(a.spec, needs));
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(a.table));
  EDGETWIN_TRY_ASSIGN(s.table.table, read_npy(bytes, a.table));
  EDGETWIN_TRY_ASSIGN(const lut::TableForm form, lut::form(s.table.table));
  if (a.spec.bits && *a.spec.bits != form.bits) {
    return Error(ErrorCode::lut_table, "the table has " + std::to_string(form.bits) +
                                           " bits, --bits says " + std::to_string(*a.spec.bits))
        .in_file(a.table);
  }
  s.table.table.shape = Shape{form.count};
  s.table.layer = std::filesystem::path(a.table).filename().string();
  EDGETWIN_TRY_ASSIGN(s.table.report, lut::examine(spec, s.table.table, a.spec.step));
  s.table.original_type = lut::function_type(spec);
  return s;
}

Result<Subject> subject_of_function(const LutSweepArguments& a) {
  Subject s;
  EDGETWIN_TRY_ASSIGN(const lut::TableSpec spec, lut_spec(a.spec, {}));
  EDGETWIN_TRY_ASSIGN(s.table.table, lut::build(spec));
  EDGETWIN_TRY_ASSIGN(s.table.report, lut::examine(spec, s.table.table));
  s.table.layer = to_string(spec);
  s.table.original_type = lut::function_type(spec);
  return s;
}

Result<std::vector<Subject>> subjects_of(const LutSweepArguments& a, Console& console) {
  const bool is_function =
      lut::function_from_name(a.spec.function).has_value() || !a.spec.formula.empty();
  if (a.spec.function.empty() && a.spec.formula.empty()) {
    return Error(ErrorCode::usage, "SUBJECT or --formula is required")
        .with_hint("edgetwin lut sweep --help ends with an example.");
  }
  if (!is_function && a.table.empty()) return subjects_of_model(a, console);
  if (!a.key.empty()) return Error(ErrorCode::usage, "--key goes with a model, not a function");
  Result<Subject> one = a.table.empty() ? subject_of_function(a) : subject_of_table(a);
  if (!one.ok()) return std::move(one).error();
  one->table.known_function = true;
  std::vector<Subject> subjects;
  subjects.push_back(std::move(*one));
  return subjects;
}

Json mapping_entry(size_t k, const Subject& s, bool has_header) {
  Json j = Json::object();
  j.set("layer_name", s.table.layer).set("original_type", s.table.original_type);
  j.set("parity_plot", numbered(k, "_parity.png")).set("sweep_plot", numbered(k, "_sweep.png"));
  return j.set("c_header", has_header ? Json(numbered(k, "_test.h")) : Json());
}

Error parity_error(const lut::Parity& p) {
  if (p.differing == 0) {
    return Error(ErrorCode::lut_parity,
                 std::to_string(p.pivots_differing) +
                     " outputs at the inputs of entries are not the entries");
  }
  return Error(ErrorCode::lut_parity, std::to_string(p.differing) + " of " +
                                          std::to_string(p.entries) +
                                          " entries differ from the function")
      .detail("first entry " + std::to_string(p.first) + ", by up to " + std::to_string(p.largest) +
              " LSB");
}

// First parity, then all inputs, then what is beyond the range.
void print_report(size_t k, const Subject& s, Console& console) {
  const lut::Report& r = s.table.report;
  const lut::Parity& p = r.parity;
  std::string text = numbered(k, "") + "  " + s.table.layer + ": " + to_string(r.spec) + ", " +
                     report::count_text(r.form.count) + " entries\n";
  if (s.of_model) text += "  " + s.table.why + "\n";
  text += "  parity: " + report::count_text(p.entries - p.differing) + " of " +
          report::count_text(p.entries) + " entries equal, largest difference " +
          std::to_string(p.largest) + " LSB; " +
          (p.pivots_differing == 0 ? "every entry is the output at its input"
                                   : report::count_text(p.pivots_differing) +
                                         " outputs at entries' inputs are not the entries") +
          "\n";
  text += lut_rules_text(r) + "  beyond the range:";
  for (const lut::Stress& stress : r.interpolate.stress) {
    text += " " + report::value_text(stress.real) + " as " + std::to_string(stress.input) +
            " gives " + std::to_string(stress.output) + ";";
  }
  text.back() = '\n';
  console.print(text);
}

// What makes a table bad; the exit code of both is 1.
void report_errors(const Subject& s, const std::string& file, Console& console) {
  const lut::Report& r = s.table.report;
  const bool complete = r.interpolate.fencepost.complete;
  const std::string layer = s.of_model ? s.table.layer : "";
  if (!complete) {
    Error e = r.interpolate.fencepost.error();
    // The nearest rule of a step that is a power of two has its own counts.
    for (const std::string& line : r.nearest.fencepost.proof) {
      const bool known = std::find(e.details.begin(), e.details.end(), line) != e.details.end();
      if (!known) e.details.push_back("nearest: " + line);
    }
    console.error(std::move(e).in_file(file).in_layer(layer));
  }
  if (r.parity.differing > 0 || (complete && !r.parity.equal())) {
    console.error(parity_error(r.parity).in_file(file).in_layer(layer));
  }
}

Json table_json(size_t k, const Subject& s) {
  const lut::Report& r = s.table.report;
  Json j = Json::object();
  j.set("name", numbered(k, "")).set("layer", s.table.layer).merge(lut_spec_json(r.spec));
  j.set("entries", r.form.count).set("derived_step", r.form.step).set("good", r.good());
  if (s.of_model)
    j.set("op_type", s.table.op_type).set("used", s.table.used).set("why", s.table.why);
  const lut::Parity& p = r.parity;
  Json parity = Json::object();
  parity.set("entries", p.entries).set("differing", p.differing).set("largest_lsb", p.largest);
  parity.set("outputs_at_entries_differing", p.pivots_differing);
  const lut::Fencepost& f = r.interpolate.fencepost;
  Json fencepost = Json::object();
  fencepost.set("complete", f.complete).set("needed", f.needed).set("proof", Json::list(f.proof));
  Json rules = Json::array();
  rules.push(lut_rule_json(r.spec, r.interpolate)).push(lut_rule_json(r.spec, r.nearest));
  j.set("parity", std::move(parity)).set("fencepost", std::move(fencepost));
  return j.set("rules", std::move(rules));
}

struct Totals {
  size_t good = 0, bad = 0, unknown = 0;
};

std::string verdict_of(const Totals& t) {
  const size_t all = t.good + t.bad + t.unknown;
  const std::string rest =
      t.unknown == 0 ? "" : "; " + std::to_string(t.unknown) + " could not be compared";
  if (all == 0) return "nothing to do: there are no tables";
  if (t.bad > 0) {
    return "not good: " + std::to_string(t.bad) + " of " + std::to_string(all) +
           " tables have wrong entries or a wrong length" + rest;
  }
  if (t.good == 0) return "not good: no table could be compared";
  return "good: " + std::to_string(t.good) + " of " + std::to_string(all) +
         " tables hold their function and have their full length" + rest;
}

}  // namespace

Result<int> execute(const LutSweepArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Subject> subjects, subjects_of(a, console));
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  const lut::LutRule rule = lut_rule_of(a.runtime);
  Json mapping = Json::object();
  Json tables = Json::array();
  Totals totals;
  for (size_t k = 1; k <= subjects.size(); ++k) {
    const Subject& s = subjects[k - 1];
    console.progress(static_cast<double>(k) / static_cast<double>(subjects.size()), s.table.layer);
    if (!s.table.known_function) {
      console.print(numbered(k, "") + "  " + s.table.layer + ": " + s.table.why + "\n");
      ++totals.unknown;
      continue;
    }
    EDGETWIN_TRY_ASSIGN(const auto files, table_files(s.table, k, rule, a.floats));
    for (const MadeFile& f : files) EDGETWIN_TRY(folder.write(f.path, f.bytes));
    print_report(k, s, console);
    report_errors(s, a.table.empty() ? a.spec.function : a.table, console);
    const bool has_header = rule == lut::LutRule::interpolate || s.table.report.nearest.runs;
    mapping.set(numbered(k, ""), mapping_entry(k, s, has_header));
    tables.push(table_json(k, s));
    ++(s.table.report.good() ? totals.good : totals.bad);
  }
  EDGETWIN_TRY(folder.write("mapping.json", std::string_view(mapping.text())));
  EDGETWIN_TRY(folder.commit());
  const std::string verdict = verdict_of(totals);
  console.print(verdict + "\n");
  console.json().set("verdict", verdict).set("runtime", a.runtime);
  console.json().set("rule_of_header", lut::name(rule)).set("tables", std::move(tables));
  return totals.bad == 0 && totals.good > 0 ? kYes : kNo;  // of nothing nothing is known
}

}  // namespace edgetwin::cli
