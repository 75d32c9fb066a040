// The page about a network: one HTML file that needs no network. docs/cli.md, "report".
#pragma once

#include <optional>
#include <string>

#include "edgetwin/export.h"
#include "edgetwin/inputs.h"
#include "edgetwin/network.h"

namespace edgetwin {

struct ReportOptions {
  RunnerOptions run;       // threads, plain operators, instruction set
  std::string reference;   // folder of expected tensors, see recorded_runner(); empty: none
  double tolerance = 0.0;  // as of compare()
  std::string command;     // how to repeat it, for the page; may be empty
  ProgressSink progress = nullptr;
};

struct ReportPage {
  std::string html;
  std::string verdict;        // one line
  std::optional<bool> equal;  // to the reference; none: there was none
};

// Computes the network on the twin with every layer kept, measures it where it is a graph, and
// makes the page: verdict, what was asked, layers, memory, values, comparison, findings. `inputs`
// are of a runner of the network. Errors: those of Network::runner and Runner::run, of the
// reference file_open, compare_kind, bad_value, npy_*.
EDGETWIN_API Result<ReportPage> report_page(const Network& network, const Inputs& inputs,
                                            const ReportOptions& options = {});

}  // namespace edgetwin
