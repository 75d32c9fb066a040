// What was computed so far, beside the file that it is for: after a kill an evaluation goes on with
// it. Blocks of lines, each with the sum of its bytes; a block that is cut off does not count.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "evaluate/parts/part.h"

namespace edgetwin::evaluation {

// Samples between two writings: what a kill loses at most, per process.
inline constexpr size_t kBlock = 32;

struct JournalPlace {
  std::filesystem::path output;  // the file of the evaluation
  std::string identity;          // of what is evaluated, shard and all
  RecordForm form;
};

// The journals of all processes of this output; writer `rank` has its own.
std::vector<std::filesystem::path> journals_of(const std::filesystem::path& output);

// The records of all journals, each sample once. Errors: part_other where one belongs to another
// evaluation, file_*.
Result<std::vector<Record>> read_journals(const JournalPlace& place);
// One journal's bytes. Error: part_other.
Result<std::vector<Record>> read_journal(std::string_view text, const JournalPlace& place,
                                         const std::string& file);
Status remove_journals(const std::filesystem::path& output);

class Journal {
 public:
  // Appends to what this rank has written before. Error: file_write.
  static Result<Journal> open(const JournalPlace& place, int rank);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) = delete;
  ~Journal();
  // On the disk when it returns. Error: file_write.
  Status append(const std::vector<Record>& block);

 private:
  Journal(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}
  std::FILE* file_;
  std::string name_;
};

}  // namespace edgetwin::evaluation
