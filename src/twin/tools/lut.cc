#include "edgetwin/lut.h"

#include "base/file.h"
#include "edgetwin/target.h"
#include "formats/espdl/read/read.h"
#include "lut/of_model.h"
#include "ops/registry/numerics.h"
#include "targets/target.h"
#include "twin/load.h"

namespace edgetwin {
namespace {

// The rounding of a chip: named by the caller, or by the model itself.
Result<numerics::Rounding> rounding_of(const espdl::Document& document, const std::string& named,
                                       const std::string& file) {
  const std::string target = named.empty() ? document.property("target").value_or("") : named;
  const Target* t = find_target(target);
  if (t != nullptr && t->family == Family::espdl) return ops::find_numerics(t->numerics)->rounding;
  return Error(ErrorCode::usage, "the model does not say for which target it is")
      .in_file(file)
      .with_hint("Name one of " + targets::targets_with("lut") +
                 ": they round table entries differently.");
}

Result<ExaminedTable> examine_one(const lut::ModelTable& t, const std::string& prefix) {
  ExaminedTable e;
  e.layer = prefix + t.node;
  e.op_type = t.op_type;
  e.used = t.used;
  e.why = t.why;
  e.known_function = t.known_function;
  if (!t.known_function) return e;
  EDGETWIN_TRY_ASSIGN(e.report, lut::examine(t.spec, t.table, t.declared_step));
  return e;
}

}  // namespace

Result<ExaminedModel> examine_tables(const std::string& model, const std::string& target,
                                     const std::string& key) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(model));
  EDGETWIN_TRY_ASSIGN(const espdl::Container container, twin::load_espdl(bytes, model, key));
  ExaminedModel examined;
  for (const espdl::ModelFile& m : container.models) {
    EDGETWIN_TRY_ASSIGN(const auto rounding, rounding_of(m.document, target, model));
    EDGETWIN_TRY_ASSIGN(const lut::ModelTables tables, lut::tables_of(m.document, rounding));
    examined.findings.insert(examined.findings.end(), tables.findings.begin(),
                             tables.findings.end());
    const std::string prefix = m.name.empty() ? "" : m.name + ": ";
    for (const lut::ModelTable& t : tables.tables) {
      EDGETWIN_TRY_ASSIGN(ExaminedTable e, examine_one(t, prefix));
      examined.tables.push_back(std::move(e));
    }
  }
  return examined;
}

}  // namespace edgetwin
