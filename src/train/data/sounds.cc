// Folders of words: <word>/*.wav, with validation_list.txt and testing_list.txt.
#include <algorithm>
#include <complex>
#include <set>

#include "base/file.h"
#include "formats/recordings/recording.h"
#include "signals/keywords/waveform.h"
#include "train/data/data.h"
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

enum class Part : uint8_t { training, validation, test };

// Which items belong to which part: by the lists, or 80/10/10 by a hash of the name.
struct Lists {
  std::set<std::string> validation, testing;
  Part of(const std::string& name) const {
    if (validation.empty() && testing.empty()) {
      uint64_t hash = 0xCBF29CE484222325;
      for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
      const uint64_t tenth = (hash >> 32) % 10;
      return tenth == 8 ? Part::validation : tenth == 9 ? Part::test : Part::training;
    }
    if (testing.contains(name)) return Part::test;
    return validation.contains(name) ? Part::validation : Part::training;
  }
};

Error wav_error(const fs::path& file, std::string message) {
  return broken(Rule::data_file, std::move(message)).in_file(file.string());
}

Status append_sound(const fs::path& file, int64_t label, DataSet& set) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  const Result<recordings::Recording> sound = recordings::read_wav(data, file.string());
  if (!sound) return wav_error(file, sound.error().message);
  if (sound->channels() != 1 || sound->sample_rate() != signals::kWaveformRate) {
    return wav_error(file, "the sound is " + sound->description() + " in " +
                               std::to_string(sound->channels()) +
                               " channels, needed is one channel of 16000 samples/s");
  }
  std::vector<std::complex<float>> samples(signals::kWaveformSamples);
  const Result<size_t> count = sound->read(0, samples);
  if (!count) return wav_error(file, count.error().message);
  std::vector<float> real(*count);
  for (size_t i = 0; i < real.size(); ++i) real[i] = samples[i].real();
  Tensor wave = Tensor::zeros(DType::int8, {set.channels, set.height}).value();
  signals::fill_waveform(real, wave);
  for (const int8_t v : wave.as<int8_t>()) set.bytes.push_back(static_cast<uint8_t>(v + 128));
  set.labels.push_back(label);
  return Ok{};
}

}  // namespace

bool has_sounds(const fs::path& folder) {
  const std::vector<std::string> words = sorted_names(folder, true);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return !sorted_names(folder / word, false).empty();
  });
}

Result<Data> read_sounds(const fs::path& folder) {
  constexpr auto kChannels = static_cast<int>(signals::kWaveformChannels);
  const DataSet empty{.channels = kChannels,
                      .height = static_cast<int>(signals::kWaveformSamples) / kChannels,
                      .width = 1,
                      .bytes = {},
                      .labels = {}};
  Data data{.train = empty, .test = empty, .classes = {}, .format = "sounds", .validation = {}};
  Lists lists;
  EDGETWIN_TRY_ASSIGN(lists.validation, list_of(folder / "validation_list.txt"));
  EDGETWIN_TRY_ASSIGN(lists.testing, list_of(folder / "testing_list.txt"));
  for (const std::string& word : sorted_names(folder, true)) {
    const std::vector<std::string> files = sorted_names(folder / word, false);
    if (files.empty()) continue;
    const auto label = static_cast<int64_t>(data.classes.size());
    data.classes.push_back(word);
    for (const std::string& name : files) {
      const Part part = lists.of(word + "/" + name);
      if (part == Part::validation) {
        data.validation.push_back(static_cast<uint32_t>(data.train.items()));
      }
      EDGETWIN_TRY(
          append_sound(folder / word / name, label, part == Part::test ? data.test : data.train));
    }
  }
  return data;
}

}  // namespace edgetwin::train
