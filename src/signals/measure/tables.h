// The tables of docs/signals.md: signal to noise per size, form, scaling and family. Computed anew
// by make_docs, and by a test that holds the document to it.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::signals {

// What takes too long for every build stops at this size.
inline constexpr int kMostMeasuredMatrix = 512;

// Markdown of the table for TensorFlow Lite and the Edge TPU; of noise with theory, of tones
// without.
Result<std::string> tflite_fft_table(bool tones);
// For ESP-DL.
Result<std::string> espdl_fft_table();
// A chart of the noise table, as PNG.
Result<Bytes> fft_chart();

// Puts a table between "<!-- NAME -->" and "<!-- end NAME -->" of a document. Error: bad_value
// where the marks are missing.
Result<std::string> with_table(std::string document, const std::string& name,
                               const std::string& table);
// docs/signals.md with all tables as they are computed now, without that of signals/max78.
Result<std::string> with_fft_tables(std::string document);

}  // namespace edgetwin::signals
