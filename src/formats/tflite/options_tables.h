// The options tables of the schema under the names of op.def. For .cc files of this folder only.
#pragma once

#include "tflite_generated.h"

// op.def names the options tables; its NONE stands for "no options".
namespace edgetwin::tflite::table {
using namespace schema;  // NOLINT: the names of op.def are looked up here
struct NONE {};
}  // namespace edgetwin::tflite::table
