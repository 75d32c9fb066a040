#include "cli/compute.h"
#include "cli/espdl_target.h"
#include "cli/exit_codes.h"
#include "cli/page.h"
#include "cli/verbs.h"

namespace edgetwin::cli {

Result<int> report_verb(const ReportArguments& a, const std::vector<std::string>& words,
                        Console& console) {
  EDGETWIN_TRY(check_page(a.output, a.force, {}));
  EDGETWIN_TRY_ASSIGN(const LoadedModel loaded, load_model(a.model, load_options(a.compute)));
  EDGETWIN_TRY_ASSIGN(const exec::Session session, plan(loaded, a.compute, false));
  EDGETWIN_TRY_ASSIGN(const LoadedInputs inputs, load_inputs(a.inputs, loaded, session, a.compute));
  for (const Finding& f : loaded.model->findings) console.finding(f);
  for (const Finding& f : session.findings()) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const bool yes, write_page({a.output, a.reference, a.tolerance, a.force},
                                                 loaded, a.compute, inputs, words, console));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
