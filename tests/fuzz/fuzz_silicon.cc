// Any bytes as a file of recorded results, or as a table of key points: cases or an error.
#include <cstdlib>

#include "targets/edgetpu/recordings/cases.h"
#include "targets/edgetpu/recordings/rules.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  using namespace edgetwin::edgetpu::silicon;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rows = read_rows(text, "fuzz");
  if (!rows.ok() && rows.error().code != ErrorCode::silicon_cases) std::abort();
  const auto cases = read_cases(text, "fuzz");
  if (!cases.ok()) {
    if (cases.error().code != ErrorCode::silicon_cases) std::abort();
    return 0;
  }
  for (const Case& c : *cases) {
    if (name(c.kind()).empty()) std::abort();
    const auto numbers = numbers_like(c.model, "# x # x # -> #");
    if (numbers && numbers->size() != 4) std::abort();
  }
  return 0;
}
