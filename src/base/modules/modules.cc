#include "base/modules/modules.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <system_error>

namespace edgetwin::modules {
namespace {

namespace fs = std::filesystem;

// The file that this code is in: the program, or a shared library.
struct Own {
  fs::path folder;  // "" where it is not known
  bool is_program = false;
};

Own own() {
  Dl_info info = {};
  link_map* object = nullptr;
  void* at = reinterpret_cast<void*>(&own);
  if (dladdr1(at, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0) return {};
  // The program itself has no name here, but what the shell called it.
  const bool is_program = object == nullptr || object->l_name[0] == '\0';
  std::error_code failed;
  fs::path file = fs::canonical(is_program ? "/proc/self/exe" : object->l_name, failed);
  if (failed && is_program) {  // a root without /proc: the path that the program was started by
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the system gives a pointer as a number.
    const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    if (started != nullptr) file = fs::canonical(started, failed);
  }
  return {failed ? fs::path() : file.parent_path(), is_program};
}

Error missing(const std::string& module, const std::string& file, const std::string& reason) {
  Error error(ErrorCode::device, "the module '" + module + "' cannot be loaded: " + reason);
  for (const fs::path& folder : folders()) {
    error.details.push_back("looked for " + (folder / file).string());
  }
  return std::move(error).with_hint(
      "Install edgetwin with its modules, or keep bin/ and lib/ together: they are in "
      "lib/edgetwin/.");
}

}  // namespace

std::vector<fs::path> folders() {
  const Own here = own();
  if (here.folder.empty()) return {};
  if (!here.is_program) return {here.folder / "edgetwin"};
  std::vector<fs::path> all;
  for (const char* beside : {"lib", EDGETWIN_LIBDIR}) {
    const fs::path folder = (here.folder.parent_path() / beside / "edgetwin").lexically_normal();
    if (all.empty() || folder != all.back()) all.push_back(folder);
  }
  return all;
}

Result<const void*> variable(const std::string& module, const std::string& name) {
  const std::string file = module + "-" EDGETWIN_VERSION ".so";
  std::string path = file;  // without a folder: where the loader looks for libraries
  for (const fs::path& folder : folders()) {
    std::error_code unknown;
    if (!fs::exists(folder / file, unknown)) continue;
    path = (folder / file).string();
    break;
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return missing(module, file, path == file ? "there is no " + file : dlerror());
  }
  if (const void* found = dlsym(handle, name.c_str()); found != nullptr) return found;
  return missing(module, file, path + " has no " + name);
}

}  // namespace edgetwin::modules
