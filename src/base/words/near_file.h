// What a file that is not there may have been meant for.
#pragma once

#include "base/error.h"

namespace edgetwin {

// An error of a file that cannot be opened, with a hint that names the folder that is missing, or
// the file of its folder whose name is near; others as they are.
Error with_near_file(Error error);

}  // namespace edgetwin
