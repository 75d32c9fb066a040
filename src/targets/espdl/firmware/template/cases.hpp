// What is checked. cases.cpp and blobs.S are written for one set of models.
#pragma once

#include <cstddef>
#include <cstdint>

namespace check {

struct Case {
  const char* name;
  const char* sha256;  // of the model file
  // The model in this application, or null where it is in the partition of this label.
  const uint8_t* model;
  const char* partition;
  const uint8_t* golden;
  const uint8_t* golden_end;
};

extern const Case kCases[];
extern const size_t kCaseCount;

extern const char kTarget[];  // the chip that the golden data is for
extern const char kEspDl[];   // the version of esp-dl that the build asks for
extern const bool kAlwaysCheckNodes;

}  // namespace check
