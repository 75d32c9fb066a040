#include "edgetwin/version.h"

namespace edgetwin {

std::string_view version() { return EDGETWIN_VERSION; }

}  // namespace edgetwin
