#include "source_dir.h"

namespace edgetwin {

std::string source_dir() { return EDGETWIN_SOURCE_DIR; }

}  // namespace edgetwin
