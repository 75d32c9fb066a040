// What `quantize` says about a network: tables, JSON, a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantize/espdl/analyse.h"
#include "quantize/espdl/quantize.h"
#include "quantize/espdl/search.h"
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

// Parts that the reports of all targets share.
std::string db(double noise);  // signal over noise
std::string layers_text(const quantize::Analysis& a);
std::string noise_bars(const quantize::Analysis& a);
std::string output_text(const quantize::Analysis& a);
void add_analysis(const quantize::Analysis& a, report::Json& document);
struct PageText {
  std::string title, head, body, command;
};
std::string page_of(const PageText& page);

std::string text_of(const QuantizeOutcome& outcome);
void add_json(const QuantizeOutcome& outcome, report::Json& document);
// The way of the search as PNG bytes.
Result<Bytes> plot_of(const QuantizeOutcome& outcome);
std::string html_of(const QuantizeOutcome& outcome);

}  // namespace edgetwin::cli
