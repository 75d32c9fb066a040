// Packages of ESP-DL models (PDL1 to PDL3): several models in one file, encrypted or not.
// docs/formats/espdl.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edgetwin/compile.h"
#include "edgetwin/export.h"
#include "edgetwin/result.h"

namespace edgetwin {

struct PackOptions {
  std::string key;            // 32 hexadecimal digits, of encrypted models; empty: there are none
  int format = 3;             // 1 to 3: PDL1, PDL2, PDL3
  std::string text = "v1.0";  // version text of the package
};

struct Package {
  Bytes bytes;
  std::vector<std::string> models;  // names, in the order of the package
};

// A package of single models, in the order of their files' names, which are the
// models' names. A folder stands for its .espdl files. Every model is read before it is packed.
// Errors: file_*, file_kind for a package, espdl_*.
EDGETWIN_API Result<Package> pack(const std::vector<std::string>& files,
                                  const PackOptions& options = {});
// The models of a package, as single files. Errors: file_*, file_kind for a single model, espdl_*.
EDGETWIN_API Result<std::vector<MadeFile>> unpack(const std::string& file,
                                                  const std::string& key = "");

}  // namespace edgetwin
