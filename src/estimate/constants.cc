#include "estimate/constants.h"

namespace edgetwin::estimates {
namespace {

constexpr ConstantInfo kConstants[] = {
#define CONSTANT(id, value, unit, kind, rows, error, source) \
  {Constant::id, #id, value, unit, kind, rows, error, source},
#include "estimate/constants/all.def"
#undef CONSTANT
};

}  // namespace

std::span<const ConstantInfo> all_constants() { return kConstants; }

double constant(Constant id) { return kConstants[static_cast<size_t>(id)].value; }

}  // namespace edgetwin::estimates
