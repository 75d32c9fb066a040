// What a network costs on its chip, and where its data is, as text and JSON.
#pragma once

#include <string>

#include "report/json.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

// Operations, kernel and bias memory, and cycles where they can be estimated; a line each.
std::string statistics_text(const Plan& plan);
// Where every layer is, and what is written over while it is needed.
report::Json memory_json(const Planning& planning);

}  // namespace edgetwin::max78
