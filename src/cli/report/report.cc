#include "base/file.h"
#include "cli/networks/max78.h"
#include "cli/networks/page.h"
#include "cli/networks/twin_inputs.h"
#include "cli/report/arguments.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/open_arguments.h"

namespace edgetwin::cli {

Result<int> execute(const ReportArguments& a, Console& console) {
  EDGETWIN_TRY(check_page(a.output, {}));
  const Result<Bytes> data = read_file(a.model);
  EDGETWIN_TRY(is_max78_network(data.ok() ? ByteSpan(*data) : ByteSpan(), a.max78, "report"));
  EDGETWIN_TRY_ASSIGN(const Network network, open_for_twin(a.model, a.compute, a.max78, a.inputs));
  ReportOptions options{runner_options(a.compute), a.reference, a.tolerance, "", nullptr};
  options.run.where = Where::twin;
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> runner, network.runner(options.run));
  EDGETWIN_TRY_ASSIGN(const Inputs inputs,
                      inputs_for_twin(network, *runner, a.inputs, picture_options(a.compute)));
  for (const Finding& f : runner->findings()) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const bool yes, write_page(a.output, network, inputs, options, console));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
