// Any text as a formula: an error with a place, or a function that can be computed everywhere and
// that is the same when its text is read again.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "lut/formula/formula.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using edgetwin::lut::Formula;
  const auto f = Formula::parse({reinterpret_cast<const char*>(data), size});
  if (!f.ok()) {
    if (f.error().message.empty()) std::abort();
    return 0;
  }
  const auto again = Formula::parse(f->text());
  if (!again.ok() || !(*again == *f)) std::abort();
  for (const double x :
       {-40000.0, -1.0, -0.0, 0.0, 0.5, 3.0, 1e300, std::numeric_limits<double>::infinity()}) {
    const auto a = f->slope(x);
    const auto b = again->slope(x);
    const bool same = std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value);
    if (!same && !(std::isnan(a.value) && std::isnan(b.value))) std::abort();
    if (!f->uses_x() && a.derivative != 0.0) std::abort();
  }
  return 0;
}
