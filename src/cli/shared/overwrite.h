// --force, for the functions that write.
#pragma once

#include "base/file.h"

namespace edgetwin::cli {

inline Overwrite overwrite(bool force) { return force ? Overwrite::yes : Overwrite::no; }

}  // namespace edgetwin::cli
