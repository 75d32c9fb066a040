// What `quantize` says about a network: tables, JSON, a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/json.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::cli {

struct QuantizeOutcome {
  std::string model, target, command;
  const twin::EspdlQuantization* made = nullptr;
  std::optional<double> wanted;  // decibels
};

// Parts that the reports of all targets share.
std::string db(double noise);  // signal over noise
std::string layers_text(const quantize::Analysis& a);
std::string noise_bars(const quantize::Analysis& a);
std::string output_text(const quantize::Analysis& a);
std::string head_of(const QuantizeOutcome& outcome);  // target, operators, constants
void add_analysis(const quantize::Analysis& a, report::Json& document);
struct PageText {
  std::string title, head, body, command;
  std::string verdict;  // empty: none
  bool good = true;
};
std::string page_of(const PageText& page);

std::string text_of(const QuantizeOutcome& outcome);
void add_json(const QuantizeOutcome& outcome, report::Json& document);
// The way of the search as PNG bytes.
Result<Bytes> plot_of(const QuantizeOutcome& outcome);
std::string html_of(const QuantizeOutcome& outcome);

}  // namespace edgetwin::cli
