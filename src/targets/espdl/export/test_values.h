// Runs a model on the test values that it carries, as the runtime's own test does on the chip.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exec/session.h"
#include "formats/espdl/document/document.h"
#include "formats/espdl/import/import.h"

namespace edgetwin::targets::espdl {

// One embedded output, or intermediate tensor, against the computed one.
struct EmbeddedOutput {
  std::string name;
  std::string problem;  // the tensors cannot be compared: type, shape or exponent differ
  size_t step = 0;      // operator that makes it, by its place in the file
  std::string layer;    // "#12 Conv 'name'"
  int64_t elements = 0;
  int64_t different = 0;                 // elements that are not equal
  int64_t beyond = 0;                    // elements further apart than the runtime's test allows
  double largest = 0;                    // largest difference, in steps for integers
  int64_t first_index = -1;              // linear; of the first element that is not equal
  std::string first_position;            // "(0, 3, 1, 2)"
  double first_file = 0, first_run = 0;  // its two values

  bool exact() const { return problem.empty() && different == 0; }
  // INT8 equal, INT16 within 1, float within 2e-5: docs/formats/espdl.md, "Test values".
  bool passes() const { return problem.empty() && beyond == 0; }
};

struct EmbeddedTest {
  std::vector<EmbeddedOutput> outputs;  // in the file's order
  std::optional<size_t> first;          // index in `outputs`: of those that are not exact, the one
                                        // that is made first
  std::vector<Finding> findings;        // of plan and run

  bool exact() const { return !first.has_value(); }
  bool passes() const;
};

// `lowered` is import_document() of the document. Of the options, keep_all is set here. Errors:
// input_missing where the file has no test outputs or not all inputs; espdl_tensor, input_type,
// input_shape where a test input does not fit; those of exec::Session.
Result<EmbeddedTest> run_embedded_test(const edgetwin::espdl::Document& document,
                                       const Model& lowered, const exec::Options& options);

// Which of the chips with a vector unit gives exactly the embedded outputs, in the portable
// arithmetic that the quantizer simulates. Nothing where both do or none does. Errors: those of
// import_document() and run_embedded_test(), where both fail; input_missing without test values.
Result<std::optional<edgetwin::espdl::Target>> target_by_test(
    const edgetwin::espdl::Document& document);

}  // namespace edgetwin::targets::espdl
