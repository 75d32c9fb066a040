// `template mlperf-tiny`: four networks of known cost.
#pragma once

#include "cli/shared/verb.h"

namespace edgetwin::cli {

Verb verb_template_tiny();

}  // namespace edgetwin::cli
