// A network of a text, loaded for the chip: with drawn weights and sample, or with what the test
// sets.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "targets/max78/pipeline/run.h"

namespace edgetwin::max78 {

// `words`: options as they stand on the command line.
inline NetworkSources sources_of_text(std::string_view text,
                                      const std::vector<std::string>& words = {}) {
  NetworkSources s;
  const auto bytes = std::as_bytes(std::span(text));
  s.description = Source::bytes("net.yaml", {bytes.begin(), bytes.end()});
  const auto options = options_from(words);
  EXPECT_TRUE(options.ok()) << (options.ok() ? "" : to_text(options.error()));
  if (options.ok()) s.options = *options;
  return s;
}

// With weights and a sample of 2x4x6 of a fixed seed.
inline NetworkSources drawn_sources(std::string_view text,
                                    const std::vector<std::string>& words = {}) {
  NetworkSources s = sources_of_text(text, words);
  s.weights = Source::file("xs32:3");
  s.sample = Source::file("xs32:9");
  s.shape = SampleShape{2, 4, 6};
  return s;
}

// Nothing may be wrong with it.
inline std::unique_ptr<LoadedNetwork> loaded_network(const NetworkSources& sources) {
  Loading loading = load_network(sources);
  for (const Finding& f : loading.findings) EXPECT_NE(f.severity, Severity::error) << f.message;
  EXPECT_FALSE(loading.failure) << to_text(*loading.failure);
  return std::move(loading.network);
}

}  // namespace edgetwin::max78
