// A verb that a chip lacks is refused here, for all verbs: by --target, or by the file's kind.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/shared/option_set.h"

namespace edgetwin::cli {

// Errors: usage where there is no such target or it lacks the verb; file_kind where no target is
// named and the chips of a file's family lack the verb. The reason is that of targets.def.
Status check_verb_target(std::string_view verb, const GivenTarget& given);

}  // namespace edgetwin::cli
