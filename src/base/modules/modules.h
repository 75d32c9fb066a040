// Modules: what needs large libraries of others is loaded when it is used first, not by every
// command. `edgetwin_module` in a CMakeLists.txt makes one, or a part of the folder's library where
// no shared objects are made (EDGETWIN_SHARED=OFF).
#pragma once

#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace edgetwin::modules {

// Where modules are looked for, in this order: of a shared library edgetwin/ beside it; of a
// program lib/edgetwin/ beside its bin/, as the build has it, and the same in what an installation
// calls lib/.
std::vector<std::filesystem::path> folders();

// The address of a variable of a module, which stays loaded. A module that none of the folders has
// is looked for as the loader finds libraries: in LD_LIBRARY_PATH, and where a program of a build
// tree was linked to look, so that it may be moved while the tree is there. Error: device.
Result<const void*> variable(const std::string& module, const std::string& name);

// The function that this variable points to.
template <class Pointer>
Result<Pointer> function(const std::string& module, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const void* at, variable(module, name));
  return *static_cast<const Pointer*>(at);
}

}  // namespace edgetwin::modules

// A module offers a function as a variable that its header declares, and whose name is one of C:
//   EDGETWIN_MODULE_OFFERS(Cipher*, edgetwin_cipher);
//   Cipher* const edgetwin_cipher = apply;
// EDGETWIN_MODULE_FUNCTION("cipher", edgetwin_cipher) is the pointer, or the error.
#define EDGETWIN_MODULE_OFFERS(type, name) \
  extern "C" __attribute__((visibility("default"))) type const name
#ifdef EDGETWIN_MODULES
#define EDGETWIN_MODULE_FUNCTION(module, name) \
  ::edgetwin::modules::function<std::remove_const_t<decltype(name)>>(module, #name)
#else
#define EDGETWIN_MODULE_FUNCTION(module, name) \
  ::edgetwin::Result<std::remove_const_t<decltype(name)>>(name)
#endif
