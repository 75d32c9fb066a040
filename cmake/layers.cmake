# Which folder of src/ may use which: the one table of the dependency rule. The build links by it,
# and tools/check_includes.cmake fails on an #include that it does not allow.

# The folders of the program's verbs, from the one table that names them.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../src/cli/verbs.def EDGETWIN_VERB_FOLDERS REGEX "^VERB")
list(TRANSFORM EDGETWIN_VERB_FOLDERS REPLACE "^VERB\\(([a-z0-9_]+),.*$" "cli/\\1")
list(REMOVE_DUPLICATES EDGETWIN_VERB_FOLDERS)

# EDGETWIN_FOLDERS is in building order: a folder may use only folders before it.
set(EDGETWIN_FOLDERS
  base
  targets
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
  targets/max78/quantize
  targets/max78/chip
  targets/max78/options
  targets/max78/rules
  targets/max78/program
  targets/max78/network
  targets/max78/hardware
  targets/max78/place
  targets/max78/registers
  targets/max78/checks
  targets/max78/plan
  targets/max78/simulate
  targets/max78/generate
  targets/max78/analysis
  targets/max78/project
  targets/max78/convert/draft
  targets/max78/convert/match
  targets/max78/convert/place
  targets/max78/convert/scale
  targets/max78/convert
  targets/max78/machine/state
  targets/max78/machine/layers
  targets/max78/machine
  targets/max78/machine/player
  targets/max78/machine/compare
  targets/max78/pipeline
  targets/edgetpu/isa
  targets/edgetpu/params
  targets/edgetpu/machine
  targets/edgetpu/decompile
  targets/edgetpu/synthesize
  targets/edgetpu/driver
  targets/edgetpu/usb
  targets/edgetpu/stick
  targets/edgetpu/invoke
  targets/edgetpu/silicon
  targets/edgetpu/templates
  report
  targets/max78/page
  twin
  camera
  modules
  modules/device
  cli/shared
  cli/networks
  ${EDGETWIN_VERB_FOLDERS}
  cli
)

set(EDGETWIN_USES_base)
set(EDGETWIN_USES_targets base)
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
# The operators that stand in models for decoders are the decoders' core.
set(EDGETWIN_USES_decode base tensor graph numerics ops image plot)
set(EDGETWIN_USES_verify base tensor graph)
set(EDGETWIN_USES_targets/espdl base tensor graph numerics exec formats/espdl verify)
set(EDGETWIN_USES_quantize base tensor graph numerics ops exec image plot formats/espdl lut)
set(EDGETWIN_USES_targets/max78/quantize base tensor numerics formats/torch formats/ai8x)
set(EDGETWIN_USES_targets/max78/chip base tensor formats/ai8x)
set(EDGETWIN_USES_targets/max78/options base tensor formats/ai8x)
set(EDGETWIN_USES_targets/max78/rules base tensor formats/ai8x targets/max78/options)
set(EDGETWIN_USES_targets/max78/program base targets/max78/chip)
set(EDGETWIN_USES_targets/max78/network base tensor formats/ai8x targets/max78/chip
                                        targets/max78/options targets/max78/rules)
set(max78_network ${EDGETWIN_USES_targets/max78/network} targets/max78/network)
set(EDGETWIN_USES_targets/max78/hardware ${max78_network})
set(max78_hardware ${max78_network} targets/max78/hardware)
set(EDGETWIN_USES_targets/max78/place ${max78_hardware})
set(max78_placed ${max78_hardware} targets/max78/place)
set(EDGETWIN_USES_targets/max78/registers ${max78_placed})
set(EDGETWIN_USES_targets/max78/checks ${max78_placed} targets/max78/registers)
set(EDGETWIN_USES_targets/max78/plan ${max78_placed} targets/max78/checks)
set(EDGETWIN_USES_targets/max78/simulate ${max78_network} numerics kernels ops)
set(EDGETWIN_USES_targets/max78/generate ${max78_placed} targets/max78/program
                                         targets/max78/registers)
set(EDGETWIN_USES_targets/max78/analysis ${max78_placed} targets/max78/registers
                                         targets/max78/plan)
set(EDGETWIN_USES_targets/max78/project ${max78_placed} targets/max78/program
                                        targets/max78/generate targets/max78/analysis)
# Float runs, ranges and the layer report are those of the quantizer for ESP-DL.
set(EDGETWIN_USES_targets/max78/convert/draft base tensor graph formats/ai8x targets/max78/chip)
set(max78_draft ${EDGETWIN_USES_targets/max78/convert/draft} targets/max78/convert/draft)
set(EDGETWIN_USES_targets/max78/convert/match ${max78_draft} ops)
set(EDGETWIN_USES_targets/max78/convert/place ${max78_draft})
set(EDGETWIN_USES_targets/max78/convert/scale ${max78_draft} numerics exec quantize
                                              targets/max78/place)
set(EDGETWIN_USES_targets/max78/convert ${max78_draft} numerics kernels exec quantize formats/torch
                                        targets/max78/network targets/max78/hardware
                                        targets/max78/place targets/max78/options
                                        targets/max78/rules targets/max78/plan
                                        targets/max78/simulate targets/max78/convert/match
                                        targets/max78/convert/place targets/max78/convert/scale)
set(EDGETWIN_USES_targets/max78/machine/state base formats/ai8x targets/max78/chip)
set(EDGETWIN_USES_targets/max78/machine/layers base numerics formats/ai8x targets/max78/chip
                                               targets/max78/machine/state)
set(EDGETWIN_USES_targets/max78/machine base formats/ai8x targets/max78/chip
                                        targets/max78/machine/state targets/max78/machine/layers)
set(EDGETWIN_USES_targets/max78/machine/player base formats/ai8x targets/max78/chip
                                               targets/max78/program targets/max78/machine/state
                                               targets/max78/machine)
# The machine's layers beside the simulation's.
set(EDGETWIN_USES_targets/max78/machine/compare ${max78_placed} targets/max78/program
                                                targets/max78/simulate
                                                targets/max78/machine/state
                                                targets/max78/machine targets/max78/machine/player)
# From files to all that can be computed or made of a network: what programs call.
set(EDGETWIN_USES_targets/max78/pipeline ${max78_placed} formats/torch targets/max78/program
                                         targets/max78/plan
                                         targets/max78/simulate targets/max78/generate
                                         targets/max78/machine/player
                                         targets/max78/machine/compare)
set(EDGETWIN_USES_targets/edgetpu/isa base formats/darwinn)
set(EDGETWIN_USES_targets/edgetpu/params base tensor graph formats/darwinn targets/edgetpu/isa)
set(EDGETWIN_USES_targets/edgetpu/machine base tensor numerics formats/tflite formats/darwinn
                                          targets/edgetpu/isa)
# Programs that only move bytes are told by executing them.
set(EDGETWIN_USES_targets/edgetpu/decompile base tensor graph numerics formats/tflite formats/darwinn
                                            targets/edgetpu/isa targets/edgetpu/params
                                            targets/edgetpu/machine)
set(EDGETWIN_USES_targets/edgetpu/synthesize base tensor graph formats/tflite formats/darwinn
                                             targets/edgetpu/isa targets/edgetpu/params)
set(EDGETWIN_USES_targets/edgetpu/driver base tensor formats/darwinn targets/edgetpu/isa
                                          targets/edgetpu/params)
set(EDGETWIN_USES_targets/edgetpu/usb base targets/edgetpu/driver)
set(EDGETWIN_USES_targets/edgetpu/stick base tensor graph numerics ops exec formats/darwinn
                                         targets/edgetpu/isa targets/edgetpu/params
                                         targets/edgetpu/driver)
# Networks of which a part is compiled for the chip, on a device and the twin.
set(EDGETWIN_USES_targets/edgetpu/invoke base tensor graph exec formats/darwinn
                                          targets/edgetpu/params targets/edgetpu/machine
                                          targets/edgetpu/driver)
set(EDGETWIN_USES_targets/edgetpu/silicon base tensor graph numerics ops exec image decode
                                          formats/tflite formats/darwinn targets/edgetpu/isa
                                          targets/edgetpu/params)
set(EDGETWIN_USES_targets/edgetpu/templates base tensor graph)
set(EDGETWIN_USES_report base tensor graph exec verify image)
set(EDGETWIN_USES_targets/max78/page ${max78_placed} plot report targets/max78/plan
                                     targets/max78/analysis)
set(EDGETWIN_USES_camera base tensor image)
set(EDGETWIN_USES_modules base tensor graph exec image formats/tflite formats/darwinn targets/edgetpu/params
                          targets/edgetpu/templates report)
set(EDGETWIN_USES_modules/device base tensor graph exec formats/tflite formats/darwinn modules
                                 targets/edgetpu/params targets/edgetpu/driver
                                 targets/edgetpu/invoke)
# The front door: everything that computes, under include/edgetwin/.
set(EDGETWIN_USES_twin ${EDGETWIN_FOLDERS})
list(FILTER EDGETWIN_USES_twin EXCLUDE REGEX "^(cli|twin|camera|modules)")
# The program may use every library; one verb does not use another.
set(EDGETWIN_USES_cli/networks ${EDGETWIN_FOLDERS})
list(FILTER EDGETWIN_USES_cli/networks EXCLUDE REGEX "^cli")
set(EDGETWIN_USES_cli/shared base targets tensor numerics ops report twin)
list(APPEND EDGETWIN_USES_cli/networks cli/shared)
foreach(folder IN LISTS EDGETWIN_VERB_FOLDERS)
  set(EDGETWIN_USES_${folder} ${EDGETWIN_USES_cli/networks} cli/networks)
endforeach()
set(EDGETWIN_USES_cli base report cli/shared ${EDGETWIN_VERB_FOLDERS})

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
    "Eigen/=modules"
    "libusb-1.0/=targets/edgetpu/usb"
    "nlohmann/=report targets/edgetpu/silicon"
    "CLI/=cli/shared"
    "fmt/=report")
