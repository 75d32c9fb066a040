#include "estimate/constants.h"

namespace edgetwin::estimates {
namespace {

constexpr ConstantInfo kConstants[] = {
#define CONSTANT(id, value, unit, kind, rows, error, source) \
  {Constant::id, "tpu", #id, value, unit, kind, rows, error, source},
#include "estimate/constants_edgetpu.def"
#undef CONSTANT
#define CONSTANT(id, value, unit, kind, rows, error, source) \
  {Constant::id, "espdl", #id, value, unit, kind, rows, error, source},
#include "estimate/constants_espdl.def"
#undef CONSTANT
#define CONSTANT(id, value, unit, kind, rows, error, source) \
  {Constant::id, "max78", #id, value, unit, kind, rows, error, source},
#include "estimate/constants_max78.def"
#undef CONSTANT
};

}  // namespace

std::span<const ConstantInfo> all_constants() { return kConstants; }

double constant(Constant id) { return kConstants[static_cast<size_t>(id)].value; }

}  // namespace edgetwin::estimates
