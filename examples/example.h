// What the examples share: an error ends the program with its text.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/result.h"

template <class T>
T must(edgetwin::Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::fputs(edgetwin::to_text(result.error()).c_str(), stderr);
  std::exit(1);
}
