// make_digits: draws the pictures, trains the digit classifier, quantizes it and writes
// models/digits; or draws a data set for training as IDX files. See README.md.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "evaluate.h"
#include "files.h"
#include "fonts.h"
#include "quantize.h"
#include "render.h"
#include "train.h"
#include "write_tflite.h"

namespace edgetwin::digits {
namespace {

constexpr int kTrainingPictures = 40000;
constexpr int kCalibrationPictures = 500;
constexpr int kTestPictures = 2000;
constexpr int kIdxTraining = 60000;
constexpr int kIdxTest = 10000;
constexpr int kShippedPerKind = 100;  // from seen fonts, and as many from held-out ones

// A different seed for each set, so that no picture is in two of them.
enum Seed : std::uint64_t {
  kTrainingSeed = 1,
  kSeenSeed,
  kHeldOutSeed,
  kShippedSeed,
  kShippedHeldOutSeed,
  kWeightsSeed,
  kIdxTrainingSeed,
  kIdxTestSeed
};

struct Options {
  std::string fonts = "/usr/share/fonts";
  std::string output;
  std::string idx;  // folder of a data set instead of the model
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--fonts") {
      options.fonts = argv[i + 1];
    } else if (name == "-o") {
      options.output = argv[i + 1];
    } else if (name == "--idx") {
      options.idx = argv[i + 1];
    } else {
      return false;
    }
  }
  return argc % 2 == 1 && options.output.empty() != options.idx.empty();
}

PictureSet shipped_pictures(const FontLibrary& fonts) {
  PictureSet seen = render_set(fonts.training, kShippedPerKind, kShippedSeed);
  const PictureSet held_out = render_set(fonts.held_out, kShippedPerKind, kShippedHeldOutSeed);
  seen.insert(seen.end(), held_out.begin(), held_out.end());
  return seen;
}

// Training pictures from one set of fonts, test pictures from fonts that training never sees.
int write_data_set(const FontLibrary& fonts, const std::string& folder) {
  const bool written =
      write_idx(folder, "train", render_set(fonts.training, kIdxTraining, kIdxTrainingSeed)) &&
      write_idx(folder, "t10k", render_set(fonts.held_out, kIdxTest, kIdxTestSeed));
  if (!written) std::fprintf(stderr, "make_digits: cannot write to %s\n", folder.c_str());
  return written ? 0 : 4;
}

int run(const Options& options) {
  std::string error;
  const std::optional<FontLibrary> fonts = load_fonts(options.fonts, error);
  if (!fonts) {
    std::fprintf(stderr, "make_digits: %s\n", error.c_str());
    return 3;
  }
  if (!options.idx.empty()) return write_data_set(*fonts, options.idx);
  std::fprintf(stderr, "drawing %d training pictures\n", kTrainingPictures);
  const PictureSet training = render_set(fonts->training, kTrainingPictures, kTrainingSeed);
  const PictureSet shipped = shipped_pictures(*fonts);
  const Net net = train(training, kWeightsSeed);
  const PictureSet calibration(training.begin(), training.begin() + kCalibrationPictures);
  const QuantizedNet quantized = quantize(net, calibration);

  std::string report = "set\tpictures\tfloat_right\tfloat_percent\tint8_right\tint8_percent\n";
  const auto measure = [&](const char* name, const PictureSet& set) {
    report += accuracy_line(name, evaluate(net, quantized, set));
  };
  measure("seen fonts", render_set(fonts->training, kTestPictures, kSeenSeed));
  measure("held-out fonts", render_set(fonts->held_out, kTestPictures, kHeldOutSeed));
  measure("shipped pictures", shipped);
  std::fputs(report.c_str(), stdout);

  const bool written = write_pictures(options.output, shipped) &&
                       write_expected(options.output, quantized, shipped) &&
                       write_text(options.output + "/accuracy.tsv", report) &&
                       write_bytes(options.output + "/digits_int8.tflite", write_tflite(quantized));
  if (!written) std::fprintf(stderr, "make_digits: cannot write to %s\n", options.output.c_str());
  return written ? 0 : 4;
}

}  // namespace
}  // namespace edgetwin::digits

int main(int argc, char** argv) {
  edgetwin::digits::Options options;
  if (!edgetwin::digits::parse(argc, argv, options)) {
    std::fputs(
        "usage: make_digits -o FOLDER | --idx FOLDER [--fonts FOLDER]\n"
        "example: make_digits -o models/digits\n",
        stderr);
    return 2;
  }
  return edgetwin::digits::run(options);
}
