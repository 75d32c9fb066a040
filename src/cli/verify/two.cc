// `verify A B`: any two networks or recorded results.
#include "base/file.h"
#include "cli/networks/max78.h"
#include "cli/shared/open_arguments.h"
#include "cli/verify/kinds.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;
using report::TextTable;

std::string number(double v) { return report::real_text(static_cast<float>(v)); }

std::string label_of(const TensorAgreement& t) {
  return t.layer.empty() ? "output '" + t.name + "'" : t.layer;
}

Json agreement_json(const TensorAgreement& t) {
  Json j = Json::object();
  j.set("layer", label_of(t)).set("tensor", t.name).set("elements", t.elements);
  j.set("different", t.different).set("largest", t.largest);
  if (!t.problem.empty()) j.set("problem", t.problem);
  if (t.first_index >= 0) {
    j.set("first", t.first_position).set("first_a", t.first_a).set("first_b", t.first_b);
  }
  return j;
}

// Options of other ways to verify.
Status refuse_other_ways(const VerifyArguments& a) {
  const std::pair<bool, const char*> options[] = {
      {!a.logs.empty(), "--log"},
      {!a.expected.empty(), "--expected"},
      {!a.max78.network.empty(), "--network"},
      {!a.silicon.empty(), "--silicon"},
      {!a.device.reference.empty(), "--reference"},
      {!a.device.device.empty(), "--device"},
      {!a.device.firmware.empty(), "--firmware"},
      {a.step_limit != VerifyArguments{}.step_limit, "--step-limit"}};
  for (const auto& [given, name] : options) {
    if (!given) continue;
    return Error(ErrorCode::usage,
                 std::string(name) + " does not go with two things to compare, MODEL and B")
        .with_hint("edgetwin verify --help lists what goes with MODEL alone.");
  }
  return Ok{};
}

Result<FileKind> kind_of(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return FileKind::unknown;
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  return file_kind(data);
}

// The chip is that of the files that do not tell it.
Side side_of(const std::string& path, FileKind kind, const VerifyArguments& a) {
  Side side{path, open_options(a.compute, a.max78), runner_options(a.compute)};
  if (kind != FileKind::espdl && kind != FileKind::max78) side.open.target.clear();
  return side;
}

void show_side(const char* word, const std::string& path, const Runner& runner,
               VerifyReport& results) {
  std::string padded = word;
  padded.resize(9, ' ');
  const std::string text =
      runner.where() == Where::recorded ? runner.description() : path + ": " + runner.description();
  results.console().print(padded + "  " + text + "\n");
  results.asked(word, text);
  results.console().json().set(word, text);
  for (const Finding& f : runner.findings()) results.finding(f);
}

void show_inputs(const Inputs& inputs, VerifyReport& results) {
  Json list = Json::array();
  std::string text;
  for (const GivenInput& g : inputs.given) {
    text += (text.empty() ? "" : " ") + g.text;
    list.push(g.text);
  }
  if (!text.empty()) results.console().print("inputs     " + text + "\n");
  results.console().json().set("inputs", std::move(list));
  results.asked("inputs", text.empty() ? "none: the results are recorded" : text);
}

}  // namespace

size_t show_agreement(const Agreement& agreement, VerifyReport& results) {
  TextTable table({{"different", TextTable::Align::right},
                   {"of", TextTable::Align::right},
                   {"largest", TextTable::Align::right},
                   {"layer"}});
  Json rows = Json::array();
  size_t compared = 0, different = 0;
  for (const TensorAgreement& t : agreement.tensors) {
    if (t.type == "input" && t.equal()) continue;
    ++compared;
    if (t.equal()) continue;
    ++different;
    results.only_on_page({false, "different", label_of(t),
                          t.problem.empty()
                              ? std::to_string(t.different) + " of " + std::to_string(t.elements) +
                                    " elements, by up to " + number(t.largest)
                              : t.problem});
    if (t.problem.empty()) {
      table.add({std::to_string(t.different), std::to_string(t.elements), number(t.largest),
                 label_of(t)});
    } else {
      table.add({"", "", "", label_of(t) + ": " + t.problem});
    }
    rows.push(agreement_json(t));
  }
  Console& console = results.console();
  if (different > 0) console.print(table.text(2));
  console.print(std::to_string(different) + " of " + std::to_string(compared) +
                " tensors differ; the model's outputs are " +
                (agreement.equal() ? "equal\n" : "different\n"));
  console.json().set("layers", std::move(rows)).set("compared", compared);
  return different;
}

namespace {

void show_first(const Agreement& agreement, VerifyReport& results) {
  for (const auto& [names, side] :
       {std::pair(&agreement.only_in_a, "A"), std::pair(&agreement.only_in_b, "B")}) {
    for (const std::string& name : *names) {
      results.row(false, "only in " + std::string(side), "output '" + name + "'");
    }
  }
  if (!agreement.first) return;
  const TensorAgreement& t = agreement.tensors[*agreement.first];
  std::string detail = t.problem;
  if (t.first_index >= 0) {
    detail = "at " + t.first_position + ": A " + number(t.first_a) + ", B " + number(t.first_b);
    if (t.as_reals) detail += " (real numbers)";
  }
  results.row(false, "first", label_of(t), detail);
  results.console().json().set("first", agreement_json(t));
}

}  // namespace

Result<int> verify_two(const VerifyArguments& a, VerifyReport& results) {
  EDGETWIN_TRY(refuse_other_ways(a));
  EDGETWIN_TRY(results.can_be_written());
  EDGETWIN_TRY_ASSIGN(const FileKind kind_a, kind_of(a.model));
  EDGETWIN_TRY_ASSIGN(const FileKind kind_b, kind_of(a.other));
  if (kind_a != FileKind::max78 && kind_b != FileKind::max78) {
    EDGETWIN_TRY(is_max78_network({}, a.max78, "verify"));
  }
  EDGETWIN_TRY_ASSIGN(
      const Comparison both,
      compare_files(side_of(a.model, kind_a, a), side_of(a.other, kind_b, a),
                    {a.inputs, picture_options(a.compute), a.tolerance.value_or(0.0)}));
  show_side("A", a.model, *both.a, results);
  show_side("B", a.other, *both.b, results);
  show_inputs(both.inputs, results);
  for (const Finding& f : both.agreement.findings) results.finding(f);
  const size_t different = show_agreement(both.agreement, results);
  results.console().json().set("different", different);
  results.console().json().set("outputs_equal", both.agreement.equal());
  show_first(both.agreement, results);
  const bool yes = both.agreement.equal();
  const std::string verdict = yes ? "verified" : "not verified";
  results.console().print(verdict + "\n");
  return results.finish(yes, verdict);
}

}  // namespace edgetwin::cli
