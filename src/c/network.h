// Networks of bytes, for all that makes some.
#pragma once

#include <memory>
#include <string>

#include "c/handles.h"

namespace edgetwin::c {

Result<std::unique_ptr<edgetwin_network>> open_bytes(Bytes bytes, std::string name, bool is_file,
                                                     const Options& options);

}  // namespace edgetwin::c
