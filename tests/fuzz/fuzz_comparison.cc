// Journals of comparisons of chips: any text is refused or read, and what was read is written so
// that it is read again.
#include "twin/compare/archive.h"
#include "twin/compare/journal.h"

using edgetwin::ComparedChip;
using edgetwin::Json;
namespace twin = edgetwin::twin;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)twin::read_comparison(text, "x", "fuzz");
  // A line without its sum, which no fuzzer finds.
  const auto json = Json::parse(text, "fuzz");
  ComparedChip chip;
  if (!json.ok() || !twin::archive::Reader::take(*json, chip)) return 0;
  const Json written = twin::archive::Writer::of(chip);
  ComparedChip again;
  if (!twin::archive::Reader::take(written, again)) return 0;  // numbers beyond what JSON holds
  if (twin::archive::Writer::of(again).text() != written.text()) __builtin_trap();
  return 0;
}
