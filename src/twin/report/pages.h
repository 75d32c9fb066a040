// Pages about networks, and the same as JSON.
#pragma once

#include "edgetwin/report.h"
#include "report/json.h"

namespace edgetwin::twin {

struct Page : ReportPage {
  report::Json json = report::Json::object();  // members of a document
};

// As report_page(), of a graph and of a network of the MAX7800x.
Result<Page> graph_page(const Network& network, const Inputs& inputs, const ReportOptions& options);
Result<Page> max78_page(const Network& network, const Inputs& inputs, const ReportOptions& options);
Result<Page> page_of(const Network& network, const Inputs& inputs, const ReportOptions& options);

// What the chip will take, as a section of a page: with the reason where it cannot be estimated;
// empty where no chip is asked for.
std::string estimate_section(const Network& network, const std::string& target);

}  // namespace edgetwin::twin
