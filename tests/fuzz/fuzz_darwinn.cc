// Any bytes: a compiled model or an error with an offset. What was read is written and comes back,
// its tile layouts stay inside, and in-place changes change nothing else.
#include <cmath>
#include <cstdlib>

#include "formats/darwinn/relayout.h"
#include "formats/darwinn/relocate.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::darwinn;

// Not a number is never equal to itself.
bool has_nan(const Executable& e) {
  for (const auto* layers : {&e.inputs, &e.outputs}) {
    for (const Layer& l : *layers) {
      if (l.numerics && std::isnan(l.numerics->factor)) return true;
    }
  }
  return false;
}

void use_layers(const Executable& e) {
  for (const Layer& l : e.outputs) {
    const auto relayout = Relayout::make(l);
    if (!relayout.ok() || relayout->tiled_bytes() > (1U << 24U)) continue;
    Bytes tiled(relayout->tiled_bytes());
    Bytes dense(relayout->dense_bytes(), std::byte{0xA5});
    const Bytes before = dense;
    relayout->to_tiled(dense, tiled);
    relayout->to_dense(tiled, dense);
    if (dense != before) std::abort();
    flip_sign(dense, l.data_type);
  }
}

void use(const Executable& e) {
  use_layers(e);
  for (const Bitstream& b : e.bitstreams) {
    const auto made = relocate(b, [](const Meta&) { return std::optional<uint64_t>(~0ULL); });
    if (!made.ok() || made->size() != b.data.size()) std::abort();
  }
  const auto written = write_executable(e);
  if (!written.ok()) std::abort();
  const auto again = read_executable(*written, "again");
  if (!again.ok()) std::abort();
  if (!has_nan(e) && !(*again == e)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  const auto file = read(bytes, "fuzz");
  if (!file.ok()) {
    const Place& place = file.error().place;
    if (!place.offset || *place.offset > size) std::abort();
    return to_text(file.error()).empty();
  }
  for (const BitstreamId& id : all_bitstreams(*file)) {
    const Bitstream& b = *find(*file, id);
    Bytes changed = to_bytes(bytes);
    if (!overwrite(changed, b.place, b.data).ok() || changed != to_bytes(bytes)) std::abort();
  }
  for (const CompiledOp& op : file->ops) {
    for (const Package& p : op.packages) {
      for (const Executable& e : p.executables) use(e);
    }
  }
  return 0;
}
