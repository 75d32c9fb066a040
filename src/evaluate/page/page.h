// An evaluation as one HTML file that needs no network: figures, confusion, the worst samples.
#pragma once

#include <map>
#include <string>

#include "base/bytes.h"
#include "base/json/json.h"

namespace edgetwin::evaluation {

using Thumbnails = std::map<uint64_t, Bytes>;  // PNG by sample; empty: there is none

// `result` is the document of result_json().
std::string html_page(const Json& result, const Thumbnails& pictures);

}  // namespace edgetwin::evaluation
