#include "targets/espdl/repair/align_adds.h"
#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/text.h"
#include "formats/espdl/read/exponents.h"
#include "formats/espdl/read/read.h"

namespace edgetwin::cli {

Result<int> align_additions(const PatchArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(espdl::Container container, espdl::read(data, a.model));
  if (container.models.size() != 1) {
    return Error(ErrorCode::usage, "the file is a package; additions are mended in single models")
        .in_file(a.model)
        .with_hint("Unpack it first: edgetwin unpack.");
  }
  const targets::espdl::AddRepair repair = targets::espdl::align_adds(container.models[0].document);
  if (repair.lowered.empty() && repair.left.empty()) {
    return Error(ErrorCode::usage, "every addition has one exponent: there is nothing to mend")
        .in_file(a.model)
        .with_hint("Use the file as it is.");
  }
  report::Json lowered = report::Json::array();
  std::vector<espdl::NewExponent> changes;
  for (const targets::espdl::LoweredTensor& t : repair.lowered) {
    changes.push_back({t.name, t.to});
    console.print("exponent " + std::to_string(t.from) + " -> " + std::to_string(t.to) + "  '" +
                  t.name + "'\n");
    report::Json j = report::Json::object();
    lowered.push(j.set("tensor", t.name).set("from", t.from).set("to", t.to));
  }
  for (const std::string& why : repair.left) {
    console.finding({Severity::warning, "ESPDL-EXP-01", why, "the addition stays as it is",
                     "Quantize the model again with align_elementwise_to = 'Align to Output'."});
  }
  console.json().set("lowered", std::move(lowered)).set("left", repair.left.size());
  if (changes.empty()) return kNo;
  EDGETWIN_TRY_ASSIGN(const Bytes changed, espdl::with_exponents(data, a.model, changes));
  EDGETWIN_TRY(a.output.write(changed));
  console.print("wrote    " + a.output.path + ": " + plural(changes.size(), "exponent") +
                " changed, nothing else; embedded test values are those of the old file\n");
  console.json().set("output", a.output.path);
  return repair.left.empty() ? kYes : kNo;
}

}  // namespace edgetwin::cli
