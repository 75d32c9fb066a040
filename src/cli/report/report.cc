#include "cli/networks/compute.h"
#include "cli/networks/espdl_target.h"
#include "cli/networks/page.h"
#include "cli/report/arguments.h"
#include "cli/shared/exit_codes.h"

namespace edgetwin::cli {

Result<int> execute(const ReportArguments& a, Console& console) {
  EDGETWIN_TRY(check_page(a.output, {}));
  EDGETWIN_TRY_ASSIGN(const LoadedModel loaded, load_model(a.model, load_options(a.compute)));
  EDGETWIN_TRY_ASSIGN(const exec::Session session, plan(loaded, a.compute, false));
  EDGETWIN_TRY_ASSIGN(const LoadedInputs inputs, load_inputs(a.inputs, loaded, session, a.compute));
  for (const Finding& f : loaded.model->findings) console.finding(f);
  for (const Finding& f : session.findings()) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const bool yes, write_page({a.output, a.reference, a.tolerance}, loaded,
                                                 a.compute, inputs, console));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
