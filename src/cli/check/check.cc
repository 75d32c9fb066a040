#include <algorithm>

#include "base/file.h"
#include "cli/check/arguments.h"
#include "cli/check/kinds.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/text.h"
#include "edgetwin/check.h"
#include "edgetwin/preprocess.h"
#include "formats/darwinn/darwinn.h"
#include "report/format.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// Where each operator of a network for the Edge TPU is computed: text with --verbose.
void print_operators(const TargetCheck& check, Console& console, Json& j) {
  if (check.operators.empty()) return;
  Json rows = Json::array();
  std::string table;
  for (const PlacedOperator& p : check.operators) {
    const std::string where = p.group < 0 ? "host" : "group " + std::to_string(p.group);
    table += "  " + where + std::string(where.size() < 9 ? 9 - where.size() : 1, ' ') +
             report::shortened(p.label, 56) + (p.rule.empty() ? "" : "  " + p.rule) + "\n";
    Json row = Json::object();
    row.set("operator", p.label).set("group", p.group);
    if (!p.rule.empty()) row.set("rule", p.rule).set("why", p.why);
    rows.push(std::move(row));
  }
  if (console.options().verbose) console.print(table);
  j.set("operators", std::move(rows));
}

Json outlook_json(const EdgetpuOutlook& o) {
  Json parts = Json::array();
  for (const EdgetpuOutlook::Part& p : o.parts) {
    Json j = Json::object();
    j.set("operators", p.operators).set("first", p.first).set("last", p.last);
    j.set("ended_by", p.end).set("rule", p.end_rule).set("cached_bytes", p.cached_bytes);
    j.set("streamed_bytes", p.streamed_bytes).set("resident_lines", p.resident_lines);
    j.set("resident_room", p.resident_room).set("narrow_bytes", p.narrow_bytes);
    parts.push(std::move(j));
  }
  Json layers = Json::array();
  for (const EdgetpuOutlook::Layer& l : o.layers) {
    Json j = Json::object();
    j.set("part", l.part).set("operator", l.label).set("bytes", l.bytes);
    layers.push(std::move(j.set("live_bytes", l.live_bytes)));
  }
  Json causes = Json::array();
  for (const EdgetpuOutlook::Cause& c : o.causes) {
    Json j = Json::object();
    j.set("rule", c.rule).set("kind", c.kind).set("operators", c.operators);
    j.set("first", c.first).set("why", c.why).set("products", c.products);
    j.set("elements", c.elements).set("transferred_bytes", c.transferred);
    causes.push(std::move(j.set("microseconds", c.microseconds)));
  }
  Json j = Json::object();
  j.set("operators", o.operators).set("on_chip", o.on_chip).set("parts", std::move(parts));
  j.set("layers", std::move(layers)).set("causes", std::move(causes));
  if (o.largest) {
    Json largest = Json::object();
    largest.set("rows", o.largest->rows).set("columns", o.largest->columns);
    largest.set("most_rows", o.largest->most_rows).set("most_columns", o.largest->most_columns);
    j.set("largest_input", std::move(largest.set("limit", o.largest->limit)));
  }
  return j;
}

// Prints what was found and the verdict; true if the chip takes the model.
bool print_check(const CheckArguments& a, const TargetCheck& check, Console& console, Json& list) {
  const bool fallback = a.fail_on_fallback && check.outlook != nullptr &&
                        check.outlook->on_chip != check.outlook->operators;
  const bool yes = check.fits && !fallback && (!a.strict || check.count(Severity::warning) == 0);
  const std::string name(check.target->name);
  Json items = Json::array();
  for (const Finding& f : check.findings) {
    if (f.severity != Severity::note || console.options().verbose) console.print(to_text(f));
    items.push(report::to_json(f));
  }
  if (check.outlook) console.print(to_text(*check.outlook));
  const std::string verdict = name + ": " + (yes ? "can run" : "cannot run as it is") + ", " +
                              plural(check.count(Severity::error), "error") + ", " +
                              plural(check.count(Severity::warning), "warning") + ", " +
                              plural(check.count(Severity::note), "note");
  Json j = Json::object();
  print_operators(check, console, j);
  console.print(verdict + "\n");
  j.set("target", name).set("yes", yes).set("verdict", verdict).set("findings", std::move(items));
  if (check.outlook) j.set("outlook", outlook_json(*check.outlook));
  list.push(std::move(j));
  return yes;
}

OpenOptions options_of(const CheckArguments& a) {
  OpenOptions options;
  options.target = a.target;
  options.member = a.member;
  options.key = a.key;
  options.shapes = a.shapes;
  return options;
}

// Of --params: what the pipeline and the model's input say of each other.
Status add_pipeline(const CheckArguments& a, FileKind kind, std::vector<TargetCheck>& checks) {
  if (a.params.empty()) return Ok{};
  if (kind != FileKind::espdl) {
    return Error(ErrorCode::usage, "--params is for an .espdl model").in_file(a.model);
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<Finding> found,
                      check_preprocess(a.params, {a.model, a.key}));
  for (TargetCheck& c : checks) {
    const auto note = std::ranges::find(c.findings, Severity::note, &Finding::severity);
    c.findings.insert(note, found.begin(), found.end());
  }
  return Ok{};
}

}  // namespace

Result<int> execute(const CheckArguments& a, Console& console) {
  const Result<Bytes> content = read_file(a.model);
  EDGETWIN_TRY_ASSIGN(
      const bool network,
      is_max78_network(content.ok() ? ByteSpan(*content) : ByteSpan(), a.max78, "check"));
  if (network && !a.params.empty()) {
    return Error(ErrorCode::usage, "--params is for an .espdl model").in_file(a.model);
  }
  if (network) return check_max78(a, console);
  if (!content.ok()) return content.error();
  if (darwinn::container_of(*content) && a.params.empty())
    return check_edgetpu(a, *content, console);
  const FileKind kind = file_kind(*content);
  const bool edgetpu = a.target.empty() ? kind == FileKind::tflite
                                        : targets::find_id(a.target) == targets::Id::edgetpu;
  if (a.fail_on_fallback && !edgetpu) {
    return Error(ErrorCode::usage, "--fail-on-fallback is for a network and --target edgetpu");
  }
  if (!edgetpu && !a.max78.image.empty()) {
    return Error(ErrorCode::usage, "--image is for a network and --target edgetpu, or a .yaml");
  }
  EDGETWIN_TRY(a.max78.image.check());
  EDGETWIN_TRY_ASSIGN(std::vector<TargetCheck> checks, check(*content, a.model, options_of(a)));
  EDGETWIN_TRY(add_pipeline(a, kind, checks));
  bool yes = true;
  Json list = Json::array();
  const std::string* model = nullptr;
  for (const TargetCheck& c : checks) {
    const bool first = model == nullptr || *model != c.model;
    if (first && !c.model.empty()) console.print("model '" + c.model + "'\n");
    model = &c.model;
    yes = print_check(a, c, console, list) && yes;
  }
  if (!a.max78.image.empty()) {
    const auto& seen = checks.front().outlook;
    if (seen == nullptr || seen->picture.empty()) {
      return Error(ErrorCode::usage, "there is no layer to draw: nothing is on the chip")
          .with_hint("Leave --image out.");
    }
    EDGETWIN_TRY(a.max78.image.write(ByteSpan(seen->picture)));
  }
  console.json().set("model", a.model).set("checks", std::move(list));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
