// What does not fit is refused here, for all verbs: a verb that a chip lacks, by --target or by the
// file's kind, and an option that changes nothing for a file of this kind (applies.def).
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/shared/option_set.h"

namespace edgetwin::cli {

// Errors: usage where there is no such target or it lacks the verb; file_kind where no target is
// named and the chips of a file's family lack the verb. The reason is that of targets.def.
Status check_verb_target(std::string_view verb, const GivenTarget& given);

// The same, and: error usage for an option that none of the given files has a use for, and for a
// word that is no option where none of the files explains it. Files whose kind is not known are
// left to the verb.
Status check_given(std::string_view verb, const GivenTarget& given);

}  // namespace edgetwin::cli
