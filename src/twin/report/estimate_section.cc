#include "edgetwin/estimate.h"
#include "estimate/output.h"
#include "report/format.h"
#include "targets/target.h"
#include "twin/network_impl.h"
#include "twin/report/pages.h"

namespace edgetwin::twin {

std::string estimate_section(const Network& network, const std::string& target) {
  if (target.empty() || !targets::require_target_for(target, "estimate").ok()) return "";
  EstimateOptions options;
  options.open = network.impl().options;
  options.open.target = target;
  const Result<Estimate> e = estimate(network.file(), options);
  if (e.ok()) return estimates::section_html(*e);
  return "<h2>Estimate for the chip</h2>\n<p>None: " + report::html_escaped(e.error().message) +
         "</p>\n";
}

}  // namespace edgetwin::twin
