#include "estimate/hints.h"

#include <string_view>

namespace edgetwin::estimates {
namespace {

constexpr std::string_view kIds[] = {
#define HINT(name, id, meaning) id,
#include "estimate/hints.def"
#undef HINT
};

}  // namespace

EstimateHint hint(Hint which, std::string text) {
  return {std::string(kIds[static_cast<size_t>(which)]), std::move(text)};
}

}  // namespace edgetwin::estimates
