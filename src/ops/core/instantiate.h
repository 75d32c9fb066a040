// EDGETWIN_FOR_EACH_NUMERICS(prepare_x) at the end of a .cc file makes prepare_x for all numerics;
// the others make operators that only one family has.
#pragma once

#include "numerics/edgetpu/edgetpu.h"
#include "numerics/espdl/espdl.h"
#include "numerics/plain/onnx.h"
#include "numerics/tflite/tflite.h"
#include "ops/core/kernel.h"

// The types of numerics/numerics.def, each once. A type that is missing here does not link.
#define EDGETWIN_FOR_EACH_TFLITE(function)                                \
  template Result<Prepared> function<numerics::Tflite>(const OpContext&); \
  template Result<Prepared> function<numerics::TfliteSingle>(const OpContext&);

#define EDGETWIN_FOR_EACH_ESPDL(function)                                  \
  template Result<Prepared> function<numerics::EspdlC>(const OpContext&);  \
  template Result<Prepared> function<numerics::EspdlS3>(const OpContext&); \
  template Result<Prepared> function<numerics::EspdlP4>(const OpContext&); \
  template Result<Prepared> function<numerics::EspdlP4Portable>(const OpContext&);

#define EDGETWIN_FOR_EACH_ONNX(function) \
  template Result<Prepared> function<numerics::Onnx>(const OpContext&);

#define EDGETWIN_FOR_EACH_EDGETPU(function) \
  template Result<Prepared> function<numerics::Edgetpu>(const OpContext&);

// Pictures of these are NHWC; those of ONNX are NCHW.
#define EDGETWIN_FOR_EACH_NHWC(function) \
  EDGETWIN_FOR_EACH_TFLITE(function)     \
  EDGETWIN_FOR_EACH_EDGETPU(function)    \
  EDGETWIN_FOR_EACH_ESPDL(function)

#define EDGETWIN_FOR_EACH_NUMERICS(function) \
  EDGETWIN_FOR_EACH_NHWC(function)           \
  EDGETWIN_FOR_EACH_ONNX(function)
