# Which folder of src/ may use which: the one table of the dependency rule. The build links by it,
# and tools/check_includes.cmake fails on an #include that it does not allow.
# EDGETWIN_FOLDERS is in building order: a folder may use only folders before it.
set(EDGETWIN_FOLDERS
  base
  tensor
  graph
  numerics
  kernels
  ops
  exec
  image
  plot
  formats/tflite
  formats/espdl
  formats/onnx
  formats/darwinn
  formats/torch
  formats/ai8x
  lut
  decode
  verify
  targets/espdl
  quantize
  targets/max78
  targets/max78/quantize
  targets/max78/machine
  targets/edgetpu/isa
  targets/edgetpu/params
  targets/edgetpu/synthesize
  targets/edgetpu/machine
  report
  targets/max78/page
  cli
)

set(EDGETWIN_USES_base)
set(EDGETWIN_USES_tensor base)
set(EDGETWIN_USES_graph base tensor)
set(EDGETWIN_USES_numerics base tensor)
set(EDGETWIN_USES_kernels base tensor numerics)
set(EDGETWIN_USES_ops base tensor graph numerics kernels)
set(EDGETWIN_USES_exec base tensor graph numerics ops)
set(EDGETWIN_USES_image base tensor)
set(EDGETWIN_USES_plot base tensor image)
set(EDGETWIN_USES_formats/tflite base tensor graph)
set(EDGETWIN_USES_formats/espdl base tensor graph)
# The operators themselves infer the shapes of an ONNX network and compute its constants.
set(EDGETWIN_USES_formats/onnx base tensor graph numerics ops)
set(EDGETWIN_USES_formats/darwinn base tensor graph formats/tflite)
set(EDGETWIN_USES_formats/torch base tensor)
set(EDGETWIN_USES_formats/ai8x base tensor formats/torch)
set(EDGETWIN_USES_lut base tensor numerics kernels plot formats/espdl)
set(EDGETWIN_USES_decode base tensor image plot)
set(EDGETWIN_USES_verify base tensor graph)
set(EDGETWIN_USES_targets/espdl base tensor graph numerics exec formats/espdl verify)
set(EDGETWIN_USES_quantize base tensor graph numerics ops exec image plot formats/espdl lut)
set(EDGETWIN_USES_targets/max78/quantize base tensor numerics formats/torch formats/ai8x)
set(EDGETWIN_USES_targets/max78 base tensor numerics kernels ops formats/ai8x)
set(EDGETWIN_USES_targets/max78/machine base tensor numerics kernels formats/ai8x targets/max78)
set(EDGETWIN_USES_targets/edgetpu/isa base formats/darwinn)
set(EDGETWIN_USES_targets/edgetpu/params base tensor graph formats/darwinn targets/edgetpu/isa)
set(EDGETWIN_USES_targets/edgetpu/synthesize base tensor graph formats/tflite formats/darwinn
                                             targets/edgetpu/isa targets/edgetpu/params)
set(EDGETWIN_USES_targets/edgetpu/machine base tensor numerics formats/tflite formats/darwinn
                                          targets/edgetpu/isa)
set(EDGETWIN_USES_report base tensor graph exec verify image)
set(EDGETWIN_USES_targets/max78/page base plot formats/ai8x targets/max78 report)
# The program may use every library.
set(EDGETWIN_USES_cli ${EDGETWIN_FOLDERS})
list(REMOVE_ITEM EDGETWIN_USES_cli cli)

# Headers of other projects, and the one folder that may include each (.cc files only).
set(EDGETWIN_THIRD_PARTY
    "zip.h=tensor"
    "flatbuffers/=formats/tflite formats/espdl formats/darwinn"
    "onnx/=formats/onnx"
    "google/protobuf/=formats/onnx"
    "openssl/=formats/espdl"
    "yaml-cpp/=formats/ai8x"
    "lodepng.h=image"
    "turbojpeg.h=image"
    "nlohmann/=report"
    "CLI/=cli"
    "fmt/=cli report")
