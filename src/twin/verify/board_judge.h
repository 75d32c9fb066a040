// Printed objects, texts and classes beside those that were computed.
#pragma once

#include "base/json/json.h"
#include "twin/verify/boards.h"

namespace edgetwin::twin {

// A member that is a number; 0 without it.
double member_number(const Json& document, const char* key);
std::string number_text(double v);

// Each sets `outcome` and `found`. An object is the same where class or name agree and the boxes
// overlap by half; one in four may be lost at its threshold.
void compare_objects(const Json& printed, const Json& made, BoardCase& c);
void compare_texts(const Json& printed, const Json& made, BoardCase& c);
void compare_classes(const Json& printed, const Json& made, BoardCase& c);

}  // namespace edgetwin::twin
