#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "cli/lut/arguments.h"
#include "cli/lut/output.h"
#include "cli/shared/console.h"
#include "cli/shared/exit_codes.h"
#include "formats/espdl/read/read.h"
#include "lut/header.h"
#include "lut/of_model.h"
#include "lut/pictures.h"
#include "targets/target.h"
#include "tensor/npy.h"
#include "twin/load.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// A table that should be looked at, wherever it comes from.
struct Subject {
  lut::ModelTable table;
  std::string layer;
  bool of_model = false;
};

std::string numbered(size_t k, const char* rest) { return "lut_" + std::to_string(k) + rest; }

Finding named(const Finding& finding, const std::string& file) {
  Finding f = finding;
  if (f.place.empty()) f.place = file;
  return f;
}

// The rounding of a model's target: named by the user, or by the model itself.
Result<numerics::Rounding> rounding_of(const LutSweepArguments& a,
                                       const espdl::Document& document) {
  const std::string target =
      a.spec.target.empty() ? document.property("target").value_or("") : a.spec.target;
  if (const auto rounding = lut_rounding(target)) return *rounding;
  return Error(ErrorCode::usage, "the model does not say for which target it is")
      .in_file(a.spec.function)
      .with_hint("Add --target " + targets::targets_with("lut") +
                 ": they round table entries differently.");
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
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(file));
  if (!espdl::looks_like_espdl(bytes)) {
    return Error(ErrorCode::file_kind, "'" + file + "' is neither a function nor an .espdl model")
        .with_hint("edgetwin lut build --help lists the functions.");
  }
  EDGETWIN_TRY(refuse_function_options(a.spec));
  EDGETWIN_TRY_ASSIGN(const espdl::Container container, twin::load_espdl(bytes, file, a.key));
  EDGETWIN_TRY(twin::refuse_unused_key(container.models, a.key, file));
  std::vector<Subject> subjects;
  for (const espdl::ModelFile& model : container.models) {
    EDGETWIN_TRY_ASSIGN(const auto rounding, rounding_of(a, model.document));
    EDGETWIN_TRY_ASSIGN(lut::ModelTables tables, lut::tables_of(model.document, rounding));
    for (const Finding& f : tables.findings) console.finding(named(f, file));
    const std::string prefix = model.name.empty() ? "" : model.name + ": ";
    for (lut::ModelTable& t : tables.tables) {
      const std::string layer = prefix + t.node;
      subjects.push_back({std::move(t), layer, true});
    }
  }
  return subjects;
}

Result<Subject> subject_of_table(const LutSweepArguments& a) {
  Subject s;
  LutNeeds needs;
  needs.width = false;
  EDGETWIN_TRY_ASSIGN(s.table.spec, lut_spec(a.spec, needs));
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(a.table));
  EDGETWIN_TRY_ASSIGN(s.table.table, read_npy(bytes, a.table));
  EDGETWIN_TRY_ASSIGN(const lut::TableForm form, lut::form(s.table.table));
  if (a.spec.bits && *a.spec.bits != form.bits) {
    return Error(ErrorCode::lut_table, "the table has " + std::to_string(form.bits) +
                                           " bits, --bits says " + std::to_string(*a.spec.bits))
        .in_file(a.table);
  }
  s.table.declared_step = a.spec.step;
  s.table.table.shape = Shape{form.count};
  s.layer = std::filesystem::path(a.table).filename().string();
  return s;
}

Result<Subject> subject_of_function(const LutSweepArguments& a) {
  Subject s;
  EDGETWIN_TRY_ASSIGN(s.table.spec, lut_spec(a.spec, {}));
  EDGETWIN_TRY_ASSIGN(s.table.table, lut::build(s.table.spec));
  s.layer = to_string(s.table.spec);
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
  one->table.original_type = lut::function_type(one->table.spec);
  one->table.known_function = true;
  std::vector<Subject> subjects;
  subjects.push_back(std::move(*one));
  return subjects;
}

Status write_files(size_t k, const Subject& s, const lut::Report& r, const LutSweepArguments& a,
                   AtomicFolder& folder) {
  EDGETWIN_TRY_ASSIGN(const Bytes parity, lut::parity_picture(s.layer, r, s.table.table));
  EDGETWIN_TRY(folder.write(numbered(k, "_parity.png"), parity));
  EDGETWIN_TRY_ASSIGN(const Bytes sweep, lut::sweep_picture(s.layer, r));
  EDGETWIN_TRY(folder.write(numbered(k, "_sweep.png"), sweep));
  EDGETWIN_TRY_ASSIGN(const Bytes entries, write_npy(s.table.table));
  EDGETWIN_TRY(folder.write(numbered(k, "_table.npy"), entries));
  const int number = static_cast<int>(k);
  const bool interpolates = lut_rule_of(a.runtime) == lut::LutRule::interpolate;
  for (const lut::RuleReport* rule : {&r.interpolate, &r.nearest}) {
    if (!rule->runs) continue;
    EDGETWIN_TRY_ASSIGN(const Bytes outputs, lut_outputs_npy(r, *rule));
    const bool is_interpolate = rule->rule == lut::LutRule::interpolate;
    EDGETWIN_TRY(
        folder.write(numbered(k, is_interpolate ? "_interp.npy" : "_nearest.npy"), outputs));
    if (is_interpolate != interpolates) continue;
    const std::string header = a.floats
                                   ? lut::float_header(number, s.layer, r, *rule)
                                   : lut::integer_header(number, s.layer, r, *rule, s.table.table);
    EDGETWIN_TRY(folder.write(numbered(k, "_test.h"), std::string_view(header)));
  }
  return Ok{};
}

Json mapping_entry(size_t k, const Subject& s, bool has_header) {
  Json j = Json::object();
  j.set("layer_name", s.layer).set("original_type", s.table.original_type);
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
void print_report(size_t k, const Subject& s, const lut::Report& r, Console& console) {
  const lut::Parity& p = r.parity;
  std::string text = numbered(k, "") + "  " + s.layer + ": " + to_string(r.spec) + ", " +
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
void report_errors(const Subject& s, const lut::Report& r, const std::string& file,
                   Console& console) {
  const bool complete = r.interpolate.fencepost.complete;
  const std::string layer = s.of_model ? s.layer : "";
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

Json table_json(size_t k, const Subject& s, const lut::Report& r) {
  Json j = Json::object();
  j.set("name", numbered(k, "")).set("layer", s.layer).merge(lut_spec_json(r.spec));
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
    console.progress(static_cast<double>(k) / static_cast<double>(subjects.size()), s.layer);
    if (!s.table.known_function) {
      console.print(numbered(k, "") + "  " + s.layer + ": " + s.table.why + "\n");
      ++totals.unknown;
      continue;
    }
    EDGETWIN_TRY_ASSIGN(const lut::Report r,
                        lut::examine(s.table.spec, s.table.table, s.table.declared_step));
    EDGETWIN_TRY(write_files(k, s, r, a, folder));
    print_report(k, s, r, console);
    report_errors(s, r, a.table.empty() ? a.spec.function : a.table, console);
    const bool has_header = rule == lut::LutRule::interpolate || r.nearest.runs;
    mapping.set(numbered(k, ""), mapping_entry(k, s, has_header));
    tables.push(table_json(k, s, r));
    ++(r.good() ? totals.good : totals.bad);
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
