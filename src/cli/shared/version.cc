#include "cli/shared/version.h"

#include "edgetwin/version.h"

namespace edgetwin::cli {

std::string version_text() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return "edgetwin " + std::string(version()) + "\n" + "built with " + compiler + "\n" +
         "reads   TensorFlow Lite (schema 3), ESP-DL (EDL1, EDL2, PDL1 to PDL3), NumPy .npy (1.0 "
         "to "
         "3.0) and .npz, PNG, JPEG, BMP\n"
         "writes  TensorFlow Lite (schema 3), ESP-DL (the same), NumPy .npy (1.0), PNG, JSON "
         "(schema "
         "1), HTML";
}

}  // namespace edgetwin::cli
