// The table of targets for the rooms of this project: the public form, and refusals as errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edgetwin/target.h"

namespace edgetwin::targets {

// A target that `families` (empty: any) has. Errors: usage where the name is empty, not in the
// table, or of another family; the hint lists the names that fit.
Result<const Target*> require_target(std::string_view name,
                                     const std::vector<Family>& families = {});

// The same for a verb: refused with the reason of the table. Error: usage.
Result<const Target*> require_target_for(std::string_view name, std::string_view verb);

// "max78000, max78002", in the order of the table; the families in `families` (empty: all).
std::string target_names(const std::vector<Family>& families = {});
// The chips that have a verb: "edgetpu, max78000 or max78002".
std::string targets_with(std::string_view verb);

}  // namespace edgetwin::targets
