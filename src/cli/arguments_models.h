// The verbs that take a model of any target, and explain.
#pragma once

#include "cli/arguments.h"

namespace CLI {
class App;
}

namespace edgetwin::cli {

void add_info(CLI::App& app, InfoArguments& a);
void add_run(CLI::App& app, RunArguments& a);
void add_diff(CLI::App& app, DiffArguments& a);
void add_bench(CLI::App& app, BenchArguments& a);
void add_report(CLI::App& app, ReportArguments& a);
void add_verify(CLI::App& app, VerifyArguments& a);
void add_firmware(CLI::App& app, FirmwareArguments& a);
void add_explain(CLI::App& app, ExplainArguments& a);

}  // namespace edgetwin::cli
