// EDGETWIN_FOR_EACH_FLAVOUR(prepare_x) at the end of a .cc file makes prepare_x for every flavour.
#pragma once

#include "numerics/flavour/tflite.h"
#include "ops/prepare.h"

// The preprocessor cannot include flavours.def inside a macro, so the rows stand here again;
// tests/unit/ops/flavours_test.cc holds the two lists against each other.
#define EDGETWIN_FOR_EACH_FLAVOUR(function)                               \
  template Result<Prepared> function<numerics::Tflite>(const OpContext&); \
  template Result<Prepared> function<numerics::TfliteSingle>(const OpContext&);
