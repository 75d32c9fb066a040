#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "base/sha256_plain.h"
#include "test_folder.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

TEST(ErrorTable, RowsAreUniqueAndComplete) {
  std::set<std::string_view> ids;
  const std::set<int> exits{0, 1, 2, 3, 4, 70};  // 0: warnings
  for (const RuleInfo& row : all_errors()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id << " twice";
    EXPECT_TRUE(exits.contains(row.exit_code)) << row.id;
    EXPECT_TRUE(row.title.ends_with('.')) << row.id;
    EXPECT_TRUE(row.remedy.ends_with('.')) << row.id;
    EXPECT_EQ(&row, &info(*find_error(row.id))) << row.id << " is not at its enumerator's place";
  }
}

TEST(Error, TextHasPlaceCalculationHintAndId) {
  const Error e = Error(ErrorCode::truncated, "4 bytes wanted, 1 left")
                      .in_file("m.tflite")
                      .at_offset(12)
                      .in_field("version")
                      .detail("12 + 4 = 16");
  EXPECT_EQ(to_text(e),
            "error[FMT-BYTES-01]: 4 bytes wanted, 1 left\n"
            "  --> m.tflite, byte 12, field version\n"
            "   |  12 + 4 = 16\n"
            "  hint: The file is incomplete: fetch or export it again.\n"
            "  more: edgetwin explain FMT-BYTES-01\n");
}

TEST(ByteReader, StopsAtTheEndAndNamesTheField) {
  const Bytes data = to_bytes(as_byte_span("\x01\x02\x03"));
  ByteReader reader(data, "x");
  const auto first = reader.read<uint16_t>("first");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, 0x0201);
  const auto second = reader.read<uint16_t>("second");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::truncated);
  EXPECT_EQ(second.error().place.field, "second");
  EXPECT_EQ(second.error().place.offset, 2U);
  EXPECT_EQ(reader.remaining(), 1U);
}

TEST(ByteWriter, NotesCoverEveryByte) {
  ByteWriter writer;
  writer.write(uint16_t{7}, "a");
  writer.align(8, "padding");
  writer.append(as_byte_span("xyz"), "b");
  size_t covered = 0;
  for (const auto& note : writer.notes()) {
    EXPECT_EQ(note.offset, covered);
    covered += note.size;
  }
  EXPECT_EQ(covered, writer.size());
  EXPECT_EQ(writer.size(), 11U);
}

TEST(File, FolderIsNotAFile) {
  const TestFolder folder;
  const auto result = read_file(folder / "");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::file_not_regular);
  const auto missing = read_file(folder / "none");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::file_open);
}

TEST(File, LimitIsRespected) {
  const TestFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "12345", Overwrite::no).ok());
  EXPECT_EQ(read_file(folder / "a", 4).error().code, ErrorCode::file_too_large);
  EXPECT_EQ(as_text(*read_file(folder / "a", 5)), "12345");
}

TEST(File, OverwriteOnlyWhenAsked) {
  const TestFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "old", Overwrite::no).ok());
  const Status refused = write_file(folder / "a", "new", Overwrite::no);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::output_exists);
  EXPECT_EQ(as_text(*read_file(folder / "a")), "old");
  ASSERT_TRUE(write_file(folder / "a", "new", Overwrite::yes).ok());
  EXPECT_EQ(as_text(*read_file(folder / "a")), "new");
  EXPECT_EQ(folder.files(), 1U) << "something was left beside the file";
}

TEST(File, UnwritableFolderLeavesNothing) {
  const TestFolder folder;
  const Status status = write_file(folder / "missing" / "a", "x", Overwrite::no);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::file_write);
  EXPECT_EQ(folder.files(), 0U);
}

// A limit on the size of files ends a write in the middle, as a full disk does.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_{};
};

TEST(File, FullDiskLeavesTheOldContent) {
  const TestFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "old", Overwrite::no).ok());
  {
    const SmallDisk disk(100);
    const Status status = write_file(folder / "a", std::string(1000, 'x'), Overwrite::yes);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::file_write);
    auto out = AtomicFolder::create(folder / "out", Overwrite::no);
    ASSERT_TRUE(out.ok());
    EXPECT_TRUE(out->write("small", "x").ok());
    EXPECT_FALSE(out->write("large", std::string(1000, 'x')).ok());
  }
  EXPECT_EQ(as_text(*read_file(folder / "a")), "old");
  EXPECT_EQ(folder.files(), 1U) << "something was left behind";
}

TEST(AtomicFolder, AppearsWholeOrNotAtAll) {
  const TestFolder folder;
  {
    auto out = AtomicFolder::create(folder / "out", Overwrite::no);
    ASSERT_TRUE(out.ok());
    ASSERT_TRUE(out->write("a.txt", "1").ok());
    ASSERT_TRUE(out->write("deep/b.txt", "2").ok());
    EXPECT_FALSE(fs::exists(folder / "out"));
  }
  EXPECT_EQ(folder.files(), 0U) << "abandoned, but something stayed";
  auto out = AtomicFolder::create(folder / "out", Overwrite::no);
  ASSERT_TRUE(out->write("deep/b.txt", "2").ok());
  ASSERT_TRUE(out->commit().ok());
  EXPECT_EQ(as_text(*read_file(folder / "out/deep/b.txt")), "2");
  EXPECT_EQ(AtomicFolder::create(folder / "out", Overwrite::no).error().code,
            ErrorCode::output_exists);
}

TEST(AtomicFolder, ParentsMadeForItGoWithIt) {
  const TestFolder folder;
  { ASSERT_TRUE(AtomicFolder::create(folder / "x" / "y" / "out", Overwrite::no).ok()); }
  EXPECT_FALSE(fs::exists(folder / "x"));
}

TEST(AtomicFolder, CanBeRemovedBeforeItIsFinished) {
  const TestFolder folder;
  auto out = AtomicFolder::create(folder / "x" / "out", Overwrite::no);
  ASSERT_TRUE(out.ok() && out->write("a", "1").ok());
  remove_unfinished();
  EXPECT_FALSE(fs::exists(folder / "x"));
}

TEST(File, NeverReplacesAFolder) {
  const TestFolder folder;
  fs::create_directory(folder / "a");
  const Status status = write_file(folder / "a", "x", Overwrite::yes);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::output_exists);
}

TEST(AtomicFolder, ReplacesOnlyItsOwnNames) {
  const TestFolder folder;
  fs::create_directories(folder / "out");
  std::ofstream(folder / "out/kept") << "k";
  std::ofstream(folder / "out/a") << "old";
  auto out = AtomicFolder::create(folder / "out/", Overwrite::yes);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE(out->write("a", "new").ok());
  ASSERT_TRUE(out->commit().ok());
  EXPECT_EQ(as_text(*read_file(folder / "out/a")), "new");
  EXPECT_EQ(as_text(*read_file(folder / "out/kept")), "k");
  EXPECT_EQ(folder.files(), 3U);
}

TEST(ThreadPool, EveryIndexOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const int64_t count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      pool.parallel_for(count, 1, [&](int64_t begin, int64_t end, int worker) {
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, threads);
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
      });
      for (const auto& n : seen) EXPECT_EQ(n.load(), 1);
    }
  }
}

TEST(ThreadPool, GrainLimitsTheNumberOfParts) {
  ThreadPool pool(4);
  std::atomic<int> parts{0};
  pool.parallel_for(10, 5, [&](int64_t, int64_t, int) { ++parts; });
  EXPECT_LE(parts.load(), 2);
}

// Jobs that follow each other closely, cut finely and coarsely, with sleeps between some.
TEST(ThreadPool, JobsDoNotMixWithTheNext) {
  for (const int threads : {2, 5}) {
    ThreadPool pool(threads);
    std::vector<int64_t> sums(static_cast<size_t>(threads));
    int64_t wanted = 0;
    for (int64_t job = 0; job < 3000; ++job) {
      const int64_t count = 1 + job * 37 % 300;
      wanted += count * job;
      // One worker's calls follow each other: no lock is needed.
      pool.parallel_for(count, 1, [&](int64_t begin, int64_t end, int worker) {
        sums[static_cast<size_t>(worker)] += (end - begin) * job;
      });
      if (job % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), int64_t{0}), wanted);
  }
}

// A thread that stays away costs no more than the wait for the one part that it holds: the caller
// takes the rest. Each side waits until the other has come so far; the limit is for a pool that
// does otherwise.
TEST(ThreadPool, TheCallerDoesNotWaitForWorkThatIsNotBegun) {
  ThreadPool pool(2);
  ASSERT_EQ(pool.size(), 2);
  std::atomic<int> by_caller{0};
  std::atomic<int> by_other{0};
  const auto wait_until = [](const std::atomic<int>& parts, int wanted) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (parts.load() < wanted && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
  };
  // 1,000 units are cut into four parts per thread.
  pool.parallel_for(1000, 1, [&](int64_t begin, int64_t end, int worker) {
    EXPECT_EQ(end - begin, 125);
    if (worker == 0) {
      wait_until(by_other, 1);
      ++by_caller;
    } else {
      ++by_other;
      wait_until(by_caller, 7);
    }
  });
  EXPECT_EQ(by_caller.load(), 7);
  EXPECT_EQ(by_other.load(), 1);
}

TEST(Sha256, InstructionsAndPlainLoopsAgree) {
  XorShift32 bytes(7);
  Bytes data;
  for (int size = 0; size < 300; ++size) {
    EXPECT_EQ(sha256_hex(data), sha256_hex_plain(data)) << size;
    data.push_back(static_cast<std::byte>(bytes.byte()));
  }
}

}  // namespace
}  // namespace edgetwin
