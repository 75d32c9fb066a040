// What `quantize` says about a network: tables, JSON, a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantize/analyse.h"
#include "quantize/quantize.h"
#include "quantize/search.h"
#include "report/json.h"

namespace edgetwin::cli {

struct QuantizeOutcome {
  std::string model, target, command;
  const quantize::Settings* settings = nullptr;
  size_t samples = 0;
  const quantize::Quantized* quantized = nullptr;
  std::optional<quantize::Analysis> analysis;
  std::optional<quantize::SearchResult> search;
};

std::string text_of(const QuantizeOutcome& outcome);
void add_json(const QuantizeOutcome& outcome, report::Json& document);
std::string html_of(const QuantizeOutcome& outcome);

}  // namespace edgetwin::cli
