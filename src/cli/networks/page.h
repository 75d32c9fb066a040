// The HTML page of `report` and `run --report`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/console.h"
#include "cli/shared/output.h"
#include "edgetwin/report.h"

namespace edgetwin::cli {

// Whether the page can be written, asked before the work. A folder that appears before the page
// does may be missing yet. Errors: output_exists, file_write.
Status check_page(const Output& page, const std::vector<std::string>& coming_folders);

// Makes the page of the library, writes and names it. True unless a reference was given and
// differs.
Result<bool> write_page(const Output& output, const Network& network, const Inputs& inputs,
                        ReportOptions options, Console& console);

}  // namespace edgetwin::cli
