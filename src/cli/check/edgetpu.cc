#include "cli/check/kinds.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/text.h"
#include "report/format.h"
#include "targets/edgetpu/inspect/check.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

using report::Json;

size_t count(const std::vector<Finding>& findings, Severity severity) {
  size_t n = 0;
  for (const Finding& f : findings) n += f.severity == severity ? 1 : 0;
  return n;
}

std::string transfers_text(const edgetpu::ExecutableCheck& c) {
  const size_t n = c.transfers.issued.size();
  if (!c.ran) return "not executed";
  switch (c.transfers.agreement) {
    case edgetpu::Agreement::equal:
      return plural(n, "transfer") + " as announced";
    case edgetpu::Agreement::joined:
      return plural(n, "transfer") + " as announced, some in pieces";
    case edgetpu::Agreement::different:
      return plural(n, "transfer") + ", " + std::to_string(c.transfers.expected.size()) +
             " announced";
  }
  return "";
}

Json executable_json(const edgetpu::ExecutableCheck& c) {
  static constexpr const char* kWords[] = {"equal", "joined", "different"};
  Json j = Json::object();
  j.set("executable", c.place).set("bitstreams", c.bitstreams);
  j.set("instructions", c.instructions).set("executed", c.ran);
  j.set("transfers_issued", c.transfers.issued.size());
  j.set("transfers_announced", c.transfers.expected.size());
  return j.set("transfers",
               c.ran ? Json(kWords[static_cast<size_t>(c.transfers.agreement)]) : Json());
}

}  // namespace

Result<int> check_edgetpu(const CheckArguments& a, ByteSpan data, Console& console) {
  const std::string chip(targets::name(targets::Id::edgetpu));
  if (!a.target.empty() && a.target != chip) {
    return Error(ErrorCode::usage, "'" + a.model + "' is compiled for the target " + chip +
                                       ", not '" + a.target + "'");
  }
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, a.model));
  const edgetpu::ModelCheck checked = edgetpu::check(file);
  Json findings = Json::array();
  for (const Finding& f : checked.findings) {
    if (f.severity != Severity::note || console.options().verbose) {
      console.print(to_text(f));
    }
    findings.push(report::to_json(f));
  }
  Json executables = Json::array();
  for (const edgetpu::ExecutableCheck& c : checked.executables) {
    std::string line = c.place + ": " + plural(c.bitstreams, "bitstream") + ", " +
                       plural(c.instructions, "instruction");
    if (file.container != darwinn::Container::bitstream) line += ", " + transfers_text(c);
    console.print(line + "\n");
    executables.push(executable_json(c));
  }
  const bool yes = !checked.has_errors() && !(a.strict && checked.has_warnings());
  const std::string verdict = chip + ": " +
                              (yes ? "in order" : "damaged, or not what the chip expects") + ", " +
                              plural(count(checked.findings, Severity::error), "error") + ", " +
                              plural(count(checked.findings, Severity::warning), "warning") + ", " +
                              plural(count(checked.findings, Severity::note), "note");
  console.print(verdict + "\n");
  Json j = Json::object();
  j.set("target", chip).set("yes", yes).set("verdict", verdict);
  j.set("executables", std::move(executables)).set("findings", std::move(findings));
  Json list = Json::array();
  console.json().set("model", a.model).set("checks", std::move(list.push(std::move(j))));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
