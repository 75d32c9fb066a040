// What `quantize --verify` says about the tables of the file.
#pragma once

#include <string>
#include <vector>

#include "report/json.h"
#include "twin/make/espdl_wishes.h"

namespace edgetwin::cli {

// "" without audits.
std::string tables_text(const std::vector<twin::TableAudit>& audits);
report::Json tables_json(const std::vector<twin::TableAudit>& audits);

}  // namespace edgetwin::cli
