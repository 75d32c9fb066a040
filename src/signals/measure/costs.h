// What a transform costs on the ESP32-S3 and P4, beside ESP-DL's own.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/espdl/document/target.h"
#include "graph/graph.h"
#include "signals/fft/options.h"

namespace edgetwin::signals {

// An estimate in milliseconds for a network of 8 bits, by the runtime's published tables up to
// 3.3.9: of the quantized graph its nodes and bytes count. `o` tells the size of the product.
// Source: specification of latencies 2.2.
double espdl_milliseconds(const Graph& g, const FftOptions& o, espdl::Target target);

// docs/signals.md: products, parameters and milliseconds by size, beside published times.
Result<std::string> fft_cost_table();

// Markdown.
std::string table_line(const std::vector<std::string>& cells);
std::string table_head(const std::vector<std::string>& titles);
// Half to even; "–" for what is not finite.
std::string decimals(double value, int digits);

}  // namespace edgetwin::signals
