// peak ACTIVATIONS PROGRAM MODEL: `run` of the model needs hardly more resident memory at any time
// than the file, 1.2 times its activations and 20 MB: 3 MB more are let pass, since how much of a
// program's file is mapped around a fault differs from system to system. A model that is no
// absolute path is below EDGETWIN_SHARED_DATA; 77: it is not there.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const char* shared = std::getenv("EDGETWIN_SHARED_DATA");
  const std::filesystem::path model = std::filesystem::path(shared ? shared : "") / argv[3];
  std::error_code missing;
  const auto file = static_cast<double>(std::filesystem::file_size(model, missing));
  if (missing) return 77;
  constexpr double kMapped = 3e6;
  const double limit = file + 1.2 * std::atof(argv[1]) + 20e6 + kMapped;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  std::string words[] = {argv[2], "run", model.string(), "--input", "xs32:1", "-q"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                       words[4].data(), words[5].data(), nullptr};
  char* environment[] = {nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, argv[2], &actions, nullptr, arguments, environment) != 0) return 1;
  int status = 0;
  rusage used = {};
  if (wait4(child, &status, 0, &used) != child || status != 0) return 1;
  const double bytes = static_cast<double>(used.ru_maxrss) * 1024;
  std::printf("peak %.2f MB, the limit is %.2f\n", bytes / 1e6, limit / 1e6);
  return bytes <= limit ? 0 : 1;
}
