// How each kind of case is computed and compared.
#pragma once

#include "image/resize.h"
#include "targets/edgetpu/recordings/verify.h"

namespace edgetwin::edgetpu::silicon {

struct Ran {
  std::vector<Tensor> outputs;
  int64_t ties = 0;
  std::vector<Finding> open;
};

// Computes a graph of one input on bytes as they go over the wire. Errors: those of a session.
Result<Ran> run(const GraphPtr& graph, ByteSpan wire, const std::string& numerics, int threads);

uint64_t fnv1a(ByteSpan data);
std::string hash_text(uint64_t hash);  // "0x" and 16 digits

// "%.*f" and "%.*g" that do not depend on the locale.
std::string fixed_digits(double value, int digits);
std::string significant_digits(double value, int digits);

// What every kind needs, and where its checks go.
struct Bench {
  const Options& options;
  const Files& files;
  const Models& models;
  const Case& c;
  std::vector<Check>& checks;

  Check check(std::string what, const std::string& numerics) const;
  void add(Check check, const Ran& ran, bool equal, std::string detail) const;
  void missing(std::string what, const std::string& numerics, std::string why) const;

  // Nothing where the model is not there or cannot be opened: then the check is added as missing.
  std::optional<OpenedModel> open(const std::string& name, const std::string& what,
                                  const std::string& numerics) const;
  Result<Bytes> file(const std::string& name) const;
  Result<Tensor> picture(const std::string& name) const;
};

// Each adds checks; errors are of the folder's files and of the computation.
Status full_output(const Bench& bench, const FullOutput& what);
Status output_hash(const Bench& bench, const OutputHash& what);
Status decoded_rows(const Bench& bench, const DecodedRows& what);
Status printed_outputs(const Bench& bench, const PrintedOutputs& what);
Status printed_statistics(const Bench& bench, const PrintedStatistics& what);
Status score(const Bench& bench, const Score& what);

}  // namespace edgetwin::edgetpu::silicon
