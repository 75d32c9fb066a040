// Folders of words: <word>/*.wav, with validation_list.txt and testing_list.txt.
#include <algorithm>
#include <complex>
#include <set>

#include "base/file.h"
#include "formats/recordings/recording.h"
#include "signals/keywords/waveform.h"
#include "train/data/data.h"
#include "train/data/unreadable.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

// Entries of a folder, sorted by the bytes of their names.
std::vector<std::string> sorted_names(const fs::path& folder, bool folders) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    // "_background_noise_" and its like are no words.
    if (entry.is_directory(failed) != folders || name.starts_with("_") || name.starts_with(".")) {
      continue;
    }
    if (folders || entry.path().extension() == ".wav") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The lines of a list; none where the file is missing.
Result<std::set<std::string>> list_of(const fs::path& file) {
  std::set<std::string> lines;
  std::error_code failed;
  if (!fs::exists(file, failed)) return lines;
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  std::string line;
  for (const char c : std::string(as_text(data)) + "\n") {
    if (c == '\n') {
      if (!line.empty()) lines.insert(line);
      line.clear();
    } else if (c != '\r') {
      line += c;
    }
  }
  return lines;
}

// Which items belong to which part: by the lists, or by a hash of the name.
struct Lists {
  std::set<std::string> validation, testing;
  Shares shares = kUsualShares;
  Part of(const std::string& name) const {
    if (validation.empty() && testing.empty()) return part_by_name(name, shares);
    if (testing.contains(name)) return Part::test;
    return validation.contains(name) ? Part::validation : Part::training;
  }
};

Error wav_error(const fs::path& file, std::string message) {
  return broken(Rule::data_file, std::move(message)).in_file(file.string());
}

// The class of a word; others than those that were asked for are the last one, "unknown".
class Words {
 public:
  static constexpr const char* kOthers = "unknown";

  explicit Words(const std::vector<std::string>& asked) : asked_(!asked.empty()), names_(asked) {}

  int64_t label_of(const std::string& word) {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == word) return static_cast<int64_t>(i);
    }
    const bool others = asked_ && !names_.empty() && names_.back() == kOthers;
    if (others) return static_cast<int64_t>(names_.size()) - 1;
    if (asked_) return -1;
    names_.push_back(word);
    return static_cast<int64_t>(names_.size()) - 1;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool asked_;
  std::vector<std::string> names_;
};

// One channel of 16000 samples/s.
Result<recordings::Recording> recording_of(ByteSpan data, const std::string& file) {
  Result<recordings::Recording> sound = recordings::read_wav(data, file);
  if (!sound) return wav_error(file, sound.error().message);
  if (sound->channels() == 1 && sound->sample_rate() == signals::kWaveformRate) return sound;
  return wav_error(file, "the sound is " + sound->description() + " in " +
                             std::to_string(sound->channels()) +
                             " channels, needed is one channel of 16000 samples/s");
}

// Up to `most` samples.
Result<std::vector<float>> samples_of_file(ByteSpan data, const std::string& file, size_t most) {
  EDGETWIN_TRY_ASSIGN(const recordings::Recording sound, recording_of(data, file));
  std::vector<std::complex<float>> samples(std::min(most, static_cast<size_t>(sound.samples())));
  const Result<size_t> count = sound.read(0, samples);
  if (!count) return wav_error(file, count.error().message);
  std::vector<float> real(*count);
  for (size_t i = 0; i < real.size(); ++i) real[i] = samples[i].real();
  return real;
}

}  // namespace

Result<Recordings> read_recordings(const fs::path& folder) {
  constexpr size_t kMostSamples = size_t{1} << 24;
  Recordings result;
  for (const std::string& name : sorted_names(folder, false)) {
    const fs::path file = folder / name;
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
    EDGETWIN_TRY_ASSIGN(std::vector<float> samples,
                        samples_of_file(data, file.string(), kMostSamples));
    if (!samples.empty()) result.push_back(std::move(samples));
  }
  if (!result.empty()) return result;
  return broken(Rule::no_data, "the folder has no recordings, *.wav").in_file(folder.string());
}

Result<std::vector<uint8_t>> parse_sound(ByteSpan data, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const std::vector<float> real,
                      samples_of_file(data, file, signals::kWaveformSamples));
  Tensor wave =
      Tensor::zeros(DType::int8, {signals::kWaveformChannels, signals::kWaveformChannels}).value();
  signals::fill_waveform(real, wave);
  std::vector<uint8_t> bytes;
  for (const int8_t v : wave.as<int8_t>()) bytes.push_back(static_cast<uint8_t>(v + 128));
  return bytes;
}

bool has_sounds(const fs::path& folder) {
  const std::vector<std::string> words = sorted_names(folder, true);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return !sorted_names(folder / word, false).empty();
  });
}

namespace {

Status append_sound(const fs::path& file, DataSet& set) {
  EDGETWIN_TRY_ASSIGN(const Bytes content, read_file(file));
  EDGETWIN_TRY_ASSIGN(const std::vector<uint8_t> bytes, parse_sound(content, file.string()));
  set.bytes.insert(set.bytes.end(), bytes.begin(), bytes.end());
  return Ok{};
}

}  // namespace

Result<Data> read_sounds(const fs::path& folder, const DataOptions& options) {
  constexpr auto kChannels = static_cast<int>(signals::kWaveformChannels);
  DataSet all;
  all.channels = kChannels;
  all.height = static_cast<int>(signals::kWaveformSamples) / kChannels;
  all.width = 1;
  Data data;
  data.format = "sounds";
  Lists lists{.validation = {}, .testing = {}, .shares = options.split};
  EDGETWIN_TRY_ASSIGN(lists.validation, list_of(folder / "validation_list.txt"));
  EDGETWIN_TRY_ASSIGN(lists.testing, list_of(folder / "testing_list.txt"));
  if (lists.validation.empty() && lists.testing.empty()) {
    data.remarks.emplace_back("no lists of parts: " + shares_text(options.split) +
                              " by a hash of the name");
    data.divided = true;
  }
  Words words(options.classes);
  Unreadable unreadable;
  for (const std::string& word : sorted_names(folder, true)) {
    const std::vector<std::string> files = sorted_names(folder / word, false);
    if (files.empty()) continue;
    const int64_t label = words.label_of(word);
    if (label < 0) continue;
    for (const std::string& name : files) {
      const fs::path file = folder / word / name;
      if (!unreadable.read(append_sound(file, all))) continue;
      all.labels.push_back(label);
      all.names.push_back(word + "/" + name);
    }
  }
  EDGETWIN_TRY(unreadable.status());
  data.classes = words.names();
  EDGETWIN_TRY(divide(
      all, [&](size_t i) -> Result<Part> { return lists.of(all.names[i]); }, data));
  return data;
}

}  // namespace edgetwin::train
