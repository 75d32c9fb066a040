// One reader per kind of set; open_set() chooses.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "evaluate/data/sample_set.h"

namespace edgetwin::evaluation {

// Pictures or sounds in a folder per class.
bool has_class_folders(const std::filesystem::path& folder);
Result<SampleSet> read_class_folders(const std::filesystem::path& folder, Task task);
// pictures/NAME with masks/NAME.png.
bool has_masks(const std::filesystem::path& folder);
Result<SampleSet> read_masks(const std::filesystem::path& folder);
// path<TAB>label
Result<SampleSet> read_list(ByteSpan data, const std::filesystem::path& file, Task task);
// The MNIST family: pictures and labels in two files.
std::string idx_in(const std::filesystem::path& folder);  // empty: none
bool looks_like_idx(ByteSpan data);
Result<SampleSet> read_idx_pair(const std::filesystem::path& pictures);
// CIFAR's binary form; `label_bytes` 1 or 2, of which the last one counts.
std::string cifar_in(const std::filesystem::path& folder);
Result<SampleSet> read_cifar(Bytes data, const std::filesystem::path& file);
// .npz with both arrays, or .npy with the labels in `targets`.
Result<SampleSet> read_arrays(ByteSpan data, const std::filesystem::path& file,
                              const std::string& targets, Task task);
// Lines of numbers, the true values before the `input_elements` of the network.
Result<SampleSet> read_csv(ByteSpan data, const std::filesystem::path& file, Task task,
                           int64_t input_elements);
Result<SampleSet> read_coco(ByteSpan data, const std::filesystem::path& file,
                            const std::string& pictures, Task task);

// What the readers share.
Error damaged(const std::string& file, int line, std::string message);
// A picture or a sound file.
Result<Loaded> load_file(const Sample& sample);
// sha256 over all names and truths, after `content` (hashes of files that hold the samples).
void seal(SampleSet& set, const std::string& content = "");
// A number that fills the word; error set_damaged.
Result<double> number_of(std::string_view word, const std::string& file, int line);
bool is_whole(std::string_view word, int64_t& value);
std::vector<std::string_view> split(std::string_view text, char by);

}  // namespace edgetwin::evaluation
