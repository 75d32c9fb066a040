#include "command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace edgetwin::cases {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void child(const std::string& command, const std::vector<std::string>& env,
                        const fs::path& folder, const fs::path& out, const fs::path& err) {
  const auto redirect = [](const fs::path& path, int to) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(126);
  };
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  const int null = ::open("/dev/null", O_RDONLY);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::chdir(folder.c_str()) != 0) ::_exit(126);
  ::unsetenv("NO_COLOR");
  ::setenv("LC_ALL", "C", 1);
  for (const std::string& assignment : env) {
    const size_t equals = assignment.find('=');
    ::setenv(assignment.substr(0, equals).c_str(), assignment.substr(equals + 1).c_str(), 1);
  }
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(127);
}

}  // namespace

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "edgetwin-case-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    std::cerr << "cannot make a folder for a case\n";
    std::exit(2);
  }
  return name;
}

void find_first(const fs::path& program) {
  const char* old_path = std::getenv("PATH");
  const std::string path = program.parent_path().string() + ":" + (old_path ? old_path : "");
  ::setenv("PATH", path.c_str(), 1);
}

Outcome execute(const std::string& command, const std::vector<std::string>& env,
                const fs::path& folder, const fs::path& scratch) {
  const fs::path out = scratch / "stdout";
  const fs::path err = scratch / "stderr";
  const pid_t pid = ::fork();
  if (pid == 0) child(command, env, folder, out, err);
  int status = 0;
  ::waitpid(pid, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, slurp(out), slurp(err)};
}

}  // namespace edgetwin::cases
