// Which reader takes a set, and what all of them share.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/file.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/data/readers.h"
#include "evaluate/rules/rules.h"
#include "formats/recordings/recording.h"
#include "image/image.h"
#include "tensor/npy.h"

namespace edgetwin::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTaskNames[] = {
#define TASK(name, text) #name,
#include "evaluate/data/tasks.def"
#undef TASK
};

Error no_kind(const fs::path& path, const std::string& looked_for) {
  return broken(Rule::set_kind, "no samples of a known form are here")
      .in_file(path.string())
      .detail("looked for: " + looked_for);
}

Result<SampleSet> open_folder(const fs::path& folder, Task task) {
  if (task == Task::segment) {
    if (has_masks(folder)) return read_masks(folder);
    return no_kind(folder, "the folders pictures and masks");
  }
  const std::string idx = idx_in(folder);
  if (!idx.empty()) return read_idx_pair(idx);
  const std::string cifar = cifar_in(folder);
  if (!cifar.empty()) {
    EDGETWIN_TRY_ASSIGN(Bytes data, read_file(cifar));
    return read_cifar(std::move(data), cifar);
  }
  if (has_class_folders(folder)) return read_class_folders(folder, task);
  return no_kind(folder,
                 "a folder per class with pictures or sounds, *-images-idx3-ubyte, "
                 "test_batch.bin, test.bin");
}

Result<SampleSet> open_file(const fs::path& file, const SetOptions& options) {
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(file));
  const std::string_view text = as_text(data);
  const std::string extension = file.extension().string();
  if (looks_like_npy(data) || looks_like_zip(data)) {
    return read_arrays(data, file, options.targets, options.task);
  }
  if (looks_like_idx(data)) return read_idx_pair(file);
  if (text.substr(0, 64).find_first_not_of(" \t\r\n") != std::string_view::npos &&
      text[text.find_first_not_of(" \t\r\n")] == '{') {
    return read_coco(data, file, options.pictures, options.task);
  }
  if (extension == ".bin") return read_cifar(std::move(data), file);
  if (text.find('\0') != std::string_view::npos) {
    return no_kind(file, "IDX, NumPy, COCO, CSV, CIFAR, a list of files");
  }
  if (extension == ".csv") return read_csv(data, file, options.task, options.input_elements);
  return read_list(data, file, options.task);
}

// Options that no reader but one knows.
Status check_options(const SampleSet& set, const fs::path& path, const SetOptions& options) {
  if (!options.pictures.empty() && set.kind != "coco") {
    return Error(ErrorCode::usage, "--pictures changes nothing: the set is no COCO file")
        .in_file(path.string());
  }
  if (!options.targets.empty() && set.kind != "npy") {
    return Error(ErrorCode::usage, "--targets changes nothing: the set is no .npy file")
        .in_file(path.string());
  }
  return Ok{};
}

Result<Loaded> load_sound(ByteSpan data, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const recordings::Recording sound, recordings::read_wav(data, file));
  const auto count = static_cast<int64_t>(sound.samples());
  Loaded loaded;
  loaded.sound = true;
  EDGETWIN_TRY_ASSIGN(loaded.tensor, Tensor::zeros(DType::float32, {count}));
  std::vector<std::complex<float>> read(static_cast<size_t>(count));
  EDGETWIN_TRY_ASSIGN(const size_t given, sound.read(0, read));
  for (size_t i = 0; i < given; ++i) loaded.tensor.as<float>()[i] = read[i].real();
  return loaded;
}

}  // namespace

std::string_view name(Task task) { return kTaskNames[static_cast<size_t>(task)]; }

std::vector<std::string> task_names() { return {std::begin(kTaskNames), std::end(kTaskNames)}; }

Task task_of(std::string_view name) {
  const auto* found = std::ranges::find(kTaskNames, name);
  return static_cast<Task>(found - std::begin(kTaskNames));
}

Error damaged(const std::string& file, int line, std::string message) {
  Error error = broken(Rule::set_damaged, std::move(message)).in_file(file);
  if (line > 0) error.place.line = line;
  return error;
}

Result<Loaded> load_file(const Sample& sample) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(sample.file));
  if (as_text(data).starts_with("RIFF")) return load_sound(data, sample.file);
  Loaded loaded;
  if (looks_like_npy(data)) {
    EDGETWIN_TRY_ASSIGN(loaded.tensor, read_npy(data, sample.file));
    return loaded;
  }
  loaded.picture = true;
  EDGETWIN_TRY_ASSIGN(loaded.tensor, decode_image(data, sample.file));
  return loaded;
}

void seal(SampleSet& set, const std::string& content) {
  std::string all = set.kind + "\n" + content + "\n";
  const auto bits = [&all](double v) { all += " " + hex_number(std::bit_cast<uint64_t>(v)); };
  for (const Sample& s : set.samples) {
    all += s.name + "\t" + s.truth.word;
    for (const double v : s.truth.numbers) bits(v);
    for (const TrueObject& o : s.truth.objects) {
      all += "|" + std::to_string(o.category) + (o.crowd ? " crowd" : "");
      for (const double v : o.box) bits(v);
      bits(o.area);
      for (const double v : o.keypoints) bits(v);
    }
    all += "\n";
  }
  set.digest = sha256_hex(as_byte_span(all));
}

Result<double> number_of(std::string_view word, const std::string& file, int line) {
  double value = 0.0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed == std::errc() && end == word.data() + word.size() && std::isfinite(value)) {
    return value;
  }
  return damaged(file, line, "'" + std::string(word) + "' is not a finite number");
}

bool is_whole(std::string_view word, int64_t& value) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  return failed == std::errc() && end == word.data() + word.size();
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Result<SampleSet> open_set(const std::string& path, const SetOptions& options) {
  std::error_code ignored;
  EDGETWIN_TRY_ASSIGN(SampleSet set, fs::is_directory(path, ignored)
                                         ? open_folder(path, options.task)
                                         : open_file(path, options));
  EDGETWIN_TRY(check_options(set, path, options));
  if (set.samples.empty()) return broken(Rule::set_empty, "the set is empty").in_file(path);
  return set;
}

void choose_samples(SampleSet& set, uint32_t shuffle, uint64_t limit) {
  if (shuffle != 0) {
    XorShift32 random(shuffle);
    for (size_t i = set.samples.size(); i > 1; --i) {
      const uint64_t wide = (uint64_t{random.next()} << 32) | random.next();
      std::swap(set.samples[i - 1], set.samples[wide % i]);
    }
  }
  if (limit > 0 && limit < set.samples.size()) set.samples.resize(limit);
}

}  // namespace edgetwin::evaluation
