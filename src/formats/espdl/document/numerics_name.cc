#include "formats/espdl/document/numerics_name.h"

namespace edgetwin::espdl {

std::string numerics_of(Target target) {
  switch (target) {
    case Target::esp32s3:
      return "espdl-s3";
    case Target::esp32p4:
      return "espdl-p4";
    case Target::c:
      break;
  }
  return "espdl-c";
}

std::string wide_numerics_of(Target target) {
  return target == Target::c ? "espdl-c" : numerics_of(target) + "-wide";
}

}  // namespace edgetwin::espdl
