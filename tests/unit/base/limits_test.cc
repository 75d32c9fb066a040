// What happens at the limits of the system: no more threads, folders in the way, two writers at
// once, files that a killed program left.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/parallel.h"
#include "instrumented.h"
#include "test_folder.h"

namespace edgetwin {
namespace {

std::string content(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return bytes.ok() ? std::string(as_text(*bytes)) : "";
}

uint64_t address_space() {
  std::ifstream statm("/proc/self/statm");
  uint64_t pages = 0;
  statm >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// An emulator of another processor does not pass the limit on: it needs the space for itself.
bool limit_holds() {
  constexpr size_t kMore = size_t{128} << 20;
  void* more = ::mmap(nullptr, kMore, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (more == MAP_FAILED) return true;
  ::munmap(more, kMore);
  return false;
}

// F1: a program that may have no more threads hung or ended by abort().
TEST(ThreadPool, F1WorksWithTheThreadsThatItGets) {
  if (kInstrumented) GTEST_SKIP() << "a sanitizer needs the address space for itself";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  // Each thread reserves its stack: room for a few of them.
  const rlimit few{address_space() + (uint64_t{96} << 20), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &few), 0);
  const bool limited = limit_holds();
  std::atomic<int64_t> sum{0};
  int size = 0;
  {
    ThreadPool pool(200);
    size = pool.size();
    pool.parallel_for(1000, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) sum += i;
    });
  }
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_GE(size, 1);
  EXPECT_EQ(sum.load(), 999 * 1000 / 2);
  if (!limited) GTEST_SKIP() << "the address space cannot be limited here";
  EXPECT_LT(size, 200);
}

// F9: one new file was put in place before the folder in the way of the next one was seen.
TEST(AtomicFolder, F9NothingIsReplacedWhereOneFileCannotBe) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "out/b");
  std::ofstream(folder / "out/a") << "old";
  auto out = AtomicFolder::create(folder / "out", Overwrite::yes);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE(out->write("a", "new").ok());
  ASSERT_TRUE(out->write("b", "new").ok());
  const Status status = out->commit();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::output_exists);
  EXPECT_EQ(content(folder / "out/a"), "old");
}

// F9: a failure midway left new files among old ones.
TEST(AtomicFolder, F9WhatWasReplacedIsPutBack) {
  if (::geteuid() == 0) GTEST_SKIP() << "no folder is closed to root";
  const TestFolder folder;
  std::filesystem::create_directories(folder / "out/closed");
  std::ofstream(folder / "out/a") << "old";
  auto out = AtomicFolder::create(folder / "out", Overwrite::yes);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE(out->write("a", "new").ok());
  ASSERT_TRUE(out->write("added", "new").ok());
  ASSERT_TRUE(out->write("closed/b", "new").ok());
  ASSERT_EQ(::chmod((folder / "out/closed").c_str(), 0555), 0);
  const Status status = out->commit();
  ASSERT_EQ(::chmod((folder / "out/closed").c_str(), 0755), 0);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(content(folder / "out/a"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "out/added"));
}

// F12: the name of a project wrote a file beside the folder.
TEST(AtomicFolder, F12NamesDoNotLeadOutOfIt) {
  const TestFolder folder;
  auto out = AtomicFolder::create(folder / "out", Overwrite::no);
  ASSERT_TRUE(out.ok());
  for (const char* name : {"../x", "a/../../x", "/tmp/x", ".."}) {
    EXPECT_FALSE(out->write(name, "no").ok()) << name;
  }
}

// F9: two programs that wrote into one folder at once left files of both.
TEST(AtomicFolder, F9FilesOfTwoWritersAreNotMixed) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "out");
  constexpr int kFiles = 30, kRounds = 20;
  const auto write = [&](const std::string& text) {
    for (int round = 0; round < kRounds; ++round) {
      auto out = AtomicFolder::create(folder / "out", Overwrite::yes);
      ASSERT_TRUE(out.ok());
      for (int i = 0; i < kFiles; ++i) ASSERT_TRUE(out->write(std::to_string(i), text).ok());
      ASSERT_TRUE(out->commit().ok());
    }
  };
  std::thread other([&] { write("x"); });
  write("y");
  other.join();
  const std::string first = content(folder / "out/0");
  for (int i = 1; i < kFiles; ++i) EXPECT_EQ(content(folder / "out" / std::to_string(i)), first);
}

// A folder that another program made meanwhile: replaced where that was asked, else an error that
// says so.
TEST(AtomicFolder, F9FolderMadeMeanwhile) {
  const TestFolder folder;
  for (const Overwrite overwrite : {Overwrite::no, Overwrite::yes}) {
    const std::string name = overwrite == Overwrite::yes ? "yes" : "no";
    auto out = AtomicFolder::create(folder / name, overwrite);
    ASSERT_TRUE(out.ok() && out->write("a", "new").ok());
    std::filesystem::create_directories(folder / name);
    std::ofstream(folder / name / "a") << "old";
    const Status status = out->commit();
    EXPECT_EQ(status.ok(), overwrite == Overwrite::yes);
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, ErrorCode::output_exists);
    }
    EXPECT_EQ(content(folder / name / "a"), overwrite == Overwrite::yes ? "new" : "old");
  }
}

// F12: what `kill -9` left beside a file stayed for ever.
TEST(File, F12PartsOfDeadProcessesAreRemoved) {
  const TestFolder folder;
  const std::string dead = "a.edgetwin-999999999-1.part";  // above every system's largest process
  const std::string alive = "a.edgetwin-" + std::to_string(::getppid()) + "-1.part";
  const std::string other = "ab.edgetwin-999999999-1.part", young = "a.edgetwin-999999998-1.part";
  for (const std::string& name : {dead, alive, other, young}) std::ofstream(folder / name) << "x";
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  for (const std::string& name : {dead, alive, other})
    std::filesystem::last_write_time(folder / name, long_ago);
  ASSERT_TRUE(write_file(folder / "a", "1", Overwrite::no).ok());
  EXPECT_FALSE(std::filesystem::exists(folder / dead));
  for (const std::string& name : {alive, other, young})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
}

}  // namespace
}  // namespace edgetwin
