// Folders of files: one per class, or pictures with masks. Names are sorted by their bytes.
#include <algorithm>

#include "evaluate/data/readers.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEndings[] = {".png",  ".jpg", ".jpeg", ".bmp", ".PNG", ".JPG",
                                         ".JPEG", ".BMP", ".wav",  ".WAV", ".npy"};

std::vector<std::string> names_in(const fs::path& folder, bool folders) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.is_directory(failed) != folders) continue;
    const std::string ending = entry.path().extension().string();
    if (folders || std::ranges::find(kEndings, ending) != std::end(kEndings)) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

bool has_class_folders(const fs::path& folder) {
  for (const std::string& name : names_in(folder, true)) {
    if (!names_in(folder / name, false).empty()) return true;
  }
  return false;
}

Result<SampleSet> read_class_folders(const fs::path& folder, Task task) {
  if (task != Task::classify && task != Task::anomaly) {
    return broken(Rule::set_truth,
                  "a folder per class says nothing about " + std::string(name(task)))
        .in_file(folder.string());
  }
  SampleSet set;
  set.kind = "folder";
  for (const std::string& word : names_in(folder, true)) {
    const std::vector<std::string> files = names_in(folder / word, false);
    if (files.empty()) {
      set.findings.push_back({Severity::warning, "EVAL-SET-02", Place((folder / word).string()),
                              "the folder has no samples; its class is not judged", ""});
    }
    for (const std::string& file : files) {
      Sample s;
      s.name = word + "/" + file;
      s.file = (folder / word / file).string();
      s.set_file = (folder / word).string();
      s.truth.word = word;
      set.samples.push_back(std::move(s));
    }
    set.classes.push_back(word);
  }
  set.load = [](const Sample& s) { return load_file(s); };
  seal(set);
  return set;
}

bool has_masks(const fs::path& folder) {
  return !names_in(folder / "pictures", false).empty() && fs::is_directory(folder / "masks");
}

Result<SampleSet> read_masks(const fs::path& folder) {
  SampleSet set;
  set.kind = "masks";
  for (const std::string& file : names_in(folder / "pictures", false)) {
    Sample s;
    s.name = file;
    s.file = (folder / "pictures" / file).string();
    s.set_file = folder.string();
    const fs::path mask = folder / "masks" / (fs::path(file).stem().string() + ".png");
    s.truth.mask = mask.string();
    s.truth.word = mask.filename().string();
    std::error_code failed;
    if (!fs::exists(mask, failed)) {
      return broken(Rule::set_truth, "the picture '" + file + "' has no mask")
          .in_file(mask.string());
    }
    set.samples.push_back(std::move(s));
  }
  set.load = [](const Sample& s) { return load_file(s); };
  seal(set);
  return set;
}

}  // namespace edgetwin::evaluation
