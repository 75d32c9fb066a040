// Any bytes: models or an error. What was read can be printed and written, and comes back.
#include <cmath>
#include <cstdlib>

#include "formats/espdl/document/layout.h"
#include "formats/espdl/read/read.h"
#include "formats/espdl/text/companions.h"
#include "formats/espdl/wire/describe.h"
#include "formats/espdl/write/write.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::espdl;

// Not a number is never equal to itself.
bool has_nan(const Container& container) {
  for (const ModelFile& model : container.models) {
    for (const Node& node : model.document.nodes) {
      for (const Attribute& a : node.attributes) {
        if (std::isnan(a.f)) return true;
        for (const float f : a.floats) {
          if (std::isnan(f)) return true;
        }
      }
    }
  }
  return false;
}

void use(const Document& document) {
  if (info_text(document).empty() || config_json(document, "c").empty()) std::abort();
  for (const TensorData& t : document.initializers) {
    const auto tag = parse_tag(t.doc_string);
    if (!tag) continue;
    for (const WeightUse use : {WeightUse::conv, WeightUse::grouped, WeightUse::matmul}) {
      const WeightOrder order{use, tag->block};
      const auto shape = weight_shape(use, t.dims);
      if (!shape.ok()) continue;
      const auto plain = to_ohwi(t.data, order, *shape, 1);
      if (plain.ok() && *from_ohwi(*plain, order, *shape, 1) != t.data) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  // The key of the encrypted seeds.
  const Key key = *parse_key("000102030405060708090a0b0c0d0e0f");
  const auto lines = describe(bytes, "fuzz");
  if (!lines.ok() && to_text(lines.error()).empty()) std::abort();
  const auto container = read(bytes, "fuzz", key);
  if (!container.ok()) {
    const Place& place = container.error().place;
    if (!place.offset || *place.offset > size || place.field.empty()) std::abort();
    return to_text(container.error()).empty();
  }
  for (const ModelFile& model : container->models) use(model.document);
  const auto written = write(*container, key);
  if (!written.ok()) std::abort();
  const auto again = read(*written, "again", key);
  if (!again.ok()) std::abort();
  if (!has_nan(*container) && !(*again == *container)) std::abort();
  if (*write(*again, key) != *written) std::abort();
  return 0;
}
