// The tables of a compiled Edge TPU model as JSON.
#pragma once

#include "formats/darwinn/darwinn.h"
#include "report/json.h"

namespace edgetwin::cli {

// Name, type, shape, numbers, and of outputs the tables of the tile layout.
report::Json layer_json(const darwinn::Layer& layer);

// Place, size, and the fields that the driver fills.
report::Json bitstream_json(const darwinn::Bitstream& bitstream);

report::Json transfer_json(const darwinn::DmaHint& hint);

}  // namespace edgetwin::cli
