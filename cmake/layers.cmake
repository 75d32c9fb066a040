# Which folder of src/ may use which: the one table of the dependency rule. The build links by it,
# and tools/check_includes.cmake fails on an #include that it does not allow.

# The folders of the program's verbs, from the one table that names them.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../src/cli/verbs.def EDGETWIN_VERB_FOLDERS REGEX "^VERB")
list(TRANSFORM EDGETWIN_VERB_FOLDERS REPLACE "^VERB\\(([a-z0-9_]+),.*$" "cli/\\1")
list(REMOVE_DUPLICATES EDGETWIN_VERB_FOLDERS)

# EDGETWIN_FOLDERS is in building order: a folder may use only folders before it.
set(EDGETWIN_FOLDERS
  base/system
  base/memory
  base
  base/json
  base/gzip
  base/words
  base/folders
  base/modules
  targets
  tensor
  graph
  transform
  transform/tflite_form
  numerics
  numerics/plain
  numerics/tflite
  numerics/espdl
  numerics/edgetpu
  numerics/max78
  kernels/core
  kernels/x86
  kernels/arm
  kernels/i8
  kernels/i16
  kernels/lanes
  kernels/floats
  kernels/elements
  ops/core
  ops/edgetpu
  ops/fast
  ops/window
  ops/elementwise
  ops/reduce
  ops/movement
  ops/recurrent
  ops/decoders
  ops/onnx
  ops/registry
  image
  image/espdl
  plot
  exec
  formats/flatbuffer
  formats/tflite
  formats/espdl/document
  formats/espdl/wire
  formats/espdl/read
  formats/espdl/write
  formats/espdl/import
  formats/espdl/export
  formats/espdl/compare
  formats/espdl/text
  formats/onnx/document
  formats/onnx/patterns
  formats/onnx/import
  formats/onnx/write
  formats/darwinn
  formats/recordings
  formats/torch
  formats/ai8x
  lut/formula
  lut
  decode
  decode/espdl/core
  decode/espdl/detect
  decode/espdl/features
  decode/espdl/text
  decode/espdl/signals
  decode/espdl
  verify
  signals/fft
  targets/espdl/repair
  targets/espdl/check
  targets/espdl/export
  targets/espdl/firmware
  targets/espdl/log
  quantize/calibration
  quantize/espdl/plan
  quantize/espdl/passes
  quantize/espdl/lowering
  quantize/espdl
  quantize/tflite
  signals/measure
  signals/spectrum
  signals/stream
  signals/radio
  signals/keywords
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
  targets/max78/frame
  targets/max78/project
  targets/max78/csource
  targets/max78/rtl
  targets/max78/logs
  targets/max78/board
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
  targets/max78/planner
  targets/max78/pipeline
  targets/max78/recordings
  signals/max78
  evaluate/precision
  train/rules
  train/math
  train/engine
  train/layers
  train/losses
  train/optim
  train/espdl
  train/network
  train/checkpoint
  train/export
  train/cases
  train/data
  train/settings
  train/journal
  train/score
  train/report
  train/run
  train/judge
  train/tape
  train/tune
  targets/edgetpu/isa
  targets/edgetpu/program
  targets/edgetpu/inspect
  targets/edgetpu/params
  targets/edgetpu/machine/steps
  targets/edgetpu/machine/lanes
  targets/edgetpu/machine/engines
  targets/edgetpu/machine
  targets/edgetpu/sync
  targets/edgetpu/timed
  targets/edgetpu/forms
  targets/edgetpu/debugger
  targets/edgetpu/decompile/stages
  targets/edgetpu/decompile/replay
  targets/edgetpu/decompile/operands
  targets/edgetpu/decompile/places
  targets/edgetpu/decompile/sizes
  targets/edgetpu/decompile/pools
  targets/edgetpu/decompile/layers
  targets/edgetpu/decompile/scales
  targets/edgetpu/decompile/write
  targets/edgetpu/decompile/compare
  targets/edgetpu/decompile
  targets/edgetpu/device
  targets/edgetpu/driver
  targets/edgetpu/capture
  targets/edgetpu/libusb
  targets/edgetpu/virtual_device/stick
  targets/edgetpu/virtual_device/reference
  targets/edgetpu/virtual_device
  targets/edgetpu/runtime
  targets/edgetpu/recordings
  targets/edgetpu/templates
  targets/edgetpu/compile/emit
  targets/edgetpu/compile/place
  targets/edgetpu/compile/templates
  targets/edgetpu/compile/judge
  targets/edgetpu/compile/layout
  targets/edgetpu/compile/softmax
  targets/edgetpu/compile/plan
  targets/edgetpu/compile/package
  targets/edgetpu/compile/proof
  targets/edgetpu/compile/likeness
  targets/edgetpu/compile
  targets/edgetpu/compile/outlook
  targets/edgetpu/synthesize
  report
  report/model
  report/page
  targets/max78/page
  estimate
  estimate/max78
  estimate/espdl
  estimate/edgetpu
  estimate/fit
  estimate/tiny
  evaluate/rules
  evaluate/data
  evaluate/metrics
  evaluate/parts
  evaluate/page
  twin/weights
  twin
  twin/tensors
  twin/invoke
  twin/decode
  twin/vision
  twin/verify
  twin/make
  twin/firmware
  twin/estimate
  twin/report
  twin/learn
  twin/evaluate
  twin/compare
  cluster
  camera
  robotics/engine
  robotics
  robotics/flow
  robotics/matmul
  robotics/trackers
  robotics/device
  twin/tools
  rules
  serve/http
  serve/page
  serve/modes
  serve/session
  serve/inspect
  serve/app
  cli/shared
  cli/networks
  cli/vendor
  cli/streams
  ${EDGETWIN_VERB_FOLDERS}
  cli
  c
)

# The folders that implement headers of include/edgetwin: what libedgetwin.so exports is in them.
set(EDGETWIN_PUBLIC_FOLDERS base targets tensor twin/weights twin twin/tensors twin/invoke
    twin/decode twin/vision twin/verify twin/report twin/make twin/firmware twin/learn twin/tools twin/estimate twin/compare
    twin/evaluate lut lut/formula rules)
# Of these, the ones whose own headers the public ones include: they are installed too.
set(EDGETWIN_OPEN_FOLDERS base base/memory tensor lut lut/formula)

set(EDGETWIN_USES_base/system)
set(EDGETWIN_USES_base/memory)
set(EDGETWIN_USES_base base/system base/memory)
set(EDGETWIN_USES_base/json base)
set(EDGETWIN_USES_base/gzip base)
set(EDGETWIN_USES_base/words base)
set(EDGETWIN_USES_base/folders base base/system)
set(EDGETWIN_USES_base/modules base)
set(EDGETWIN_USES_targets base base/words)
set(EDGETWIN_USES_tensor base base/modules)
set(EDGETWIN_USES_graph base tensor)
set(EDGETWIN_USES_transform graph)
set(EDGETWIN_USES_transform/tflite_form base tensor graph)
set(EDGETWIN_USES_numerics base tensor)
set(EDGETWIN_USES_numerics/plain numerics)
set(EDGETWIN_USES_numerics/tflite base numerics numerics/plain)
set(EDGETWIN_USES_numerics/espdl numerics numerics/plain)
set(EDGETWIN_USES_numerics/edgetpu base numerics numerics/tflite)
set(EDGETWIN_USES_numerics/max78 numerics)
set(EDGETWIN_USES_kernels/core base tensor numerics)
set(EDGETWIN_USES_kernels/x86 kernels/core)
set(EDGETWIN_USES_kernels/arm kernels/core kernels/x86)
set(EDGETWIN_USES_kernels/i8 base tensor numerics kernels/core kernels/x86 kernels/arm)
set(EDGETWIN_USES_kernels/i16 base tensor numerics kernels/core kernels/x86 kernels/arm)
set(EDGETWIN_USES_kernels/lanes base tensor kernels/core kernels/x86 kernels/arm)
set(EDGETWIN_USES_kernels/floats base tensor kernels/core kernels/x86 kernels/arm)
set(EDGETWIN_USES_kernels/elements numerics kernels/core kernels/x86 kernels/arm)
set(EDGETWIN_USES_ops/core base tensor graph numerics numerics/plain numerics/tflite numerics/espdl
                           numerics/edgetpu kernels/i8)
set(EDGETWIN_USES_ops/edgetpu base numerics numerics/edgetpu ops/core)
set(EDGETWIN_USES_ops/fast tensor numerics numerics/plain numerics/tflite numerics/espdl
                           numerics/edgetpu kernels/i8 kernels/floats kernels/i16 kernels/lanes kernels/core kernels/elements ops/core)
set(EDGETWIN_USES_ops/window tensor numerics kernels/core kernels/i8 kernels/elements ops/core ops/edgetpu
                             ops/fast)
set(EDGETWIN_USES_ops/elementwise tensor graph numerics numerics/plain kernels/core
                                  kernels/elements ops/core ops/edgetpu
                                  ops/fast)
set(EDGETWIN_USES_ops/reduce kernels/core kernels/elements ops/core ops/edgetpu ops/fast)
set(EDGETWIN_USES_ops/movement tensor numerics kernels/core kernels/i8 ops/core ops/edgetpu ops/fast)
set(EDGETWIN_USES_ops/recurrent ops/core ops/edgetpu)
set(EDGETWIN_USES_ops/decoders base tensor graph ops/core)
set(EDGETWIN_USES_ops/onnx tensor numerics/plain kernels/floats ops/core ops/window)
set(EDGETWIN_USES_ops/registry base graph numerics numerics/plain numerics/tflite numerics/espdl
                               numerics/edgetpu ops/core ops/edgetpu ops/window ops/elementwise
                               ops/reduce ops/movement ops/recurrent ops/decoders ops/onnx)
set(EDGETWIN_USES_exec base base/memory tensor graph numerics numerics/tflite ops/core ops/edgetpu ops/registry image)
set(EDGETWIN_USES_image base tensor)
set(EDGETWIN_USES_image/espdl base base/json targets tensor numerics image)
set(EDGETWIN_USES_plot base tensor image)
set(EDGETWIN_USES_formats/flatbuffer base)
set(EDGETWIN_USES_formats/tflite base tensor graph formats/flatbuffer)
set(EDGETWIN_USES_formats/espdl/document base targets tensor graph)
set(EDGETWIN_USES_formats/espdl/wire base base/modules)
set(EDGETWIN_USES_formats/espdl/read base tensor formats/flatbuffer formats/espdl/document
                                     formats/espdl/wire)
set(EDGETWIN_USES_formats/espdl/write base tensor formats/espdl/document formats/espdl/wire)
set(EDGETWIN_USES_formats/espdl/import base tensor graph formats/espdl/document)
set(EDGETWIN_USES_formats/espdl/export base tensor graph formats/espdl/document)
set(EDGETWIN_USES_formats/espdl/compare tensor formats/espdl/document)
set(EDGETWIN_USES_formats/espdl/text tensor formats/espdl/document)
set(EDGETWIN_USES_formats/onnx/document base base/modules tensor graph)
set(EDGETWIN_USES_formats/onnx/patterns formats/onnx/document)
# The operators themselves infer the shapes of an ONNX network and compute its constants.
set(EDGETWIN_USES_formats/onnx/import base tensor graph transform ops/registry formats/onnx/document formats/onnx/patterns)
set(EDGETWIN_USES_formats/onnx/write base tensor graph formats/onnx/document)
set(EDGETWIN_USES_formats/darwinn base formats/flatbuffer formats/tflite)
set(EDGETWIN_USES_formats/recordings base base/json)
set(EDGETWIN_USES_formats/torch base tensor)
set(EDGETWIN_USES_formats/ai8x base tensor formats/torch)
set(EDGETWIN_USES_lut/formula base)
set(EDGETWIN_USES_lut base tensor numerics plot formats/espdl/document lut/formula)
# The operators that stand in models for decoders are the decoders' core.
set(EDGETWIN_USES_decode base tensor graph transform ops/decoders image plot)
set(EDGETWIN_USES_verify base tensor graph)
# Fourier transforms as networks.
set(EDGETWIN_USES_signals/fft base tensor graph)
set(EDGETWIN_USES_decode/espdl/core base base/json tensor numerics image/espdl)
set(EDGETWIN_USES_decode/espdl/detect base tensor numerics image/espdl decode/espdl/core)
set(EDGETWIN_USES_decode/espdl/features base tensor decode/espdl/core)
set(EDGETWIN_USES_decode/espdl/text base tensor image/espdl decode/espdl/core)
set(EDGETWIN_USES_decode/espdl/signals base tensor numerics image/espdl decode/espdl/core)
set(EDGETWIN_USES_decode/espdl base tensor decode decode/espdl/core decode/espdl/detect decode/espdl/features
                               decode/espdl/text decode/espdl/signals)
set(EDGETWIN_USES_targets/espdl/repair formats/espdl/document)
set(EDGETWIN_USES_targets/espdl/check base tensor exec formats/espdl/document formats/espdl/read
                                      formats/espdl/import formats/espdl/text targets/espdl/repair)
set(EDGETWIN_USES_targets/espdl/export base tensor graph exec formats/espdl/document formats/espdl/read
                                       formats/espdl/write formats/espdl/import formats/espdl/export
                                       formats/espdl/text)
set(EDGETWIN_USES_targets/espdl/firmware base targets tensor formats/espdl/document formats/espdl/read
                                         formats/espdl/write formats/espdl/import)
set(EDGETWIN_USES_targets/espdl/log base)
set(EDGETWIN_USES_quantize/calibration base tensor graph numerics exec image)
set(EDGETWIN_USES_quantize/espdl/plan graph numerics formats/espdl/document quantize/calibration)
set(EDGETWIN_USES_quantize/espdl/passes base tensor quantize/calibration quantize/espdl/plan)
set(EDGETWIN_USES_quantize/espdl/lowering tensor formats/espdl/document lut quantize/espdl/plan)
set(EDGETWIN_USES_quantize/espdl base tensor graph transform exec formats/espdl/document quantize/calibration quantize/espdl/plan
                                 quantize/espdl/passes quantize/espdl/lowering)
set(EDGETWIN_USES_quantize/tflite base tensor graph transform transform/tflite_form
                                  quantize/calibration)
# Transforms of all families beside the plain sum.
set(EDGETWIN_USES_signals/measure base tensor graph plot exec formats/onnx/document formats/onnx/import
                                  formats/onnx/write formats/espdl/document quantize/calibration
                                  quantize/espdl signals/fft)
set(EDGETWIN_USES_signals/spectrum base tensor image)
set(EDGETWIN_USES_signals/stream base tensor formats/recordings signals/fft signals/spectrum)
set(EDGETWIN_USES_signals/radio base signals/stream)
set(EDGETWIN_USES_signals/keywords base tensor)
set(EDGETWIN_USES_targets/max78/quantize base tensor numerics formats/torch formats/ai8x)
set(EDGETWIN_USES_targets/max78/chip base targets tensor formats/ai8x)
set(EDGETWIN_USES_targets/max78/options base tensor numerics formats/ai8x)
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
set(EDGETWIN_USES_targets/max78/simulate ${max78_network} numerics numerics/max78 kernels/i8 ops/window)
set(EDGETWIN_USES_targets/max78/generate ${max78_placed} targets/max78/program
                                         targets/max78/registers)
set(EDGETWIN_USES_targets/max78/analysis ${max78_placed} targets/max78/registers
                                         targets/max78/plan)
set(EDGETWIN_USES_targets/max78/frame ${max78_network})
set(EDGETWIN_USES_targets/max78/project ${max78_placed} targets/max78/program targets/max78/frame
                                        targets/max78/generate targets/max78/analysis)
set(EDGETWIN_USES_targets/max78/csource base targets/max78/program)
set(EDGETWIN_USES_targets/max78/rtl ${max78_placed} targets/max78/program targets/max78/registers
                                    targets/max78/generate targets/max78/analysis
                                    targets/max78/project targets/max78/csource)
set(EDGETWIN_USES_targets/max78/logs ${max78_placed} targets/max78/registers targets/max78/simulate)
# What boards print, and what is where on their bus.
set(EDGETWIN_USES_targets/max78/board ${max78_placed})
# Float runs, ranges and the layer report are those of the quantizer for ESP-DL.
set(EDGETWIN_USES_targets/max78/convert/draft base tensor graph formats/ai8x targets/max78/chip)
set(max78_draft ${EDGETWIN_USES_targets/max78/convert/draft} targets/max78/convert/draft)
set(EDGETWIN_USES_targets/max78/convert/match ${max78_draft} ops/core)
set(EDGETWIN_USES_targets/max78/convert/place ${max78_draft})
set(EDGETWIN_USES_targets/max78/convert/scale ${max78_draft} numerics exec quantize/calibration
                                              targets/max78/place)
set(EDGETWIN_USES_targets/max78/convert ${max78_draft} numerics exec quantize/calibration formats/torch
                                        targets/max78/network targets/max78/hardware
                                        targets/max78/place targets/max78/options
                                        targets/max78/rules targets/max78/plan
                                        targets/max78/simulate targets/max78/convert/match
                                        targets/max78/convert/place targets/max78/convert/scale)
set(EDGETWIN_USES_targets/max78/machine/state base formats/ai8x targets/max78/chip)
set(EDGETWIN_USES_targets/max78/machine/layers base numerics numerics/max78 formats/ai8x targets/max78/chip
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
set(EDGETWIN_USES_targets/max78/planner ${max78_placed} targets/max78/registers
                                        targets/max78/plan targets/max78/analysis)
set(EDGETWIN_USES_targets/max78/pipeline ${max78_placed} targets/max78/frame targets/max78/planner formats/torch targets/max78/program
                                         targets/max78/plan
                                         targets/max78/simulate targets/max78/generate
                                         targets/max78/machine/player
                                         targets/max78/machine/compare)
# The matrix form as these chips compute it, and products of 16 bits from their sums.
set(EDGETWIN_USES_targets/max78/recordings ${EDGETWIN_USES_targets/max78/pipeline} base/json base/gzip
                                           targets/max78/analysis targets/max78/machine/state
                                           targets/max78/machine targets/max78/pipeline)
set(EDGETWIN_USES_signals/max78 ${EDGETWIN_USES_targets/max78/convert} ${EDGETWIN_USES_targets/max78/pipeline}
                                targets/max78/convert targets/max78/pipeline targets/max78/analysis
                                formats/onnx/import formats/espdl/document signals/fft signals/measure)
# Training: nothing but the program uses it.
set(EDGETWIN_USES_evaluate/precision)
set(EDGETWIN_USES_train/rules base)
set(EDGETWIN_USES_train/math)
set(EDGETWIN_USES_train/engine base)
set(EDGETWIN_USES_train/layers numerics formats/ai8x train/engine)
set(EDGETWIN_USES_train/losses evaluate/precision train/math train/engine)
set(EDGETWIN_USES_train/optim train/math)
set(EDGETWIN_USES_train/espdl base tensor numerics lut train/math)
set(EDGETWIN_USES_train/network base train/rules tensor formats/ai8x train/math train/engine train/layers)
set(EDGETWIN_USES_train/checkpoint base train/rules tensor formats/torch train/layers train/optim train/network)
set(EDGETWIN_USES_train/export base tensor graph formats/onnx/document formats/ai8x train/rules train/math
                              train/engine train/layers train/network)
set(EDGETWIN_USES_train/data base base/gzip train/rules tensor image formats/recordings formats/torch signals/keywords train/math train/engine)
set(EDGETWIN_USES_train/settings ${max78_placed} base base/words formats/ai8x train/rules train/math train/engine
                                 train/layers train/losses train/optim train/network train/data)
set(EDGETWIN_USES_train/journal base train/rules train/engine train/layers train/network)
set(EDGETWIN_USES_train/score ${max78_placed} base evaluate/precision train/rules train/settings train/math train/engine train/layers train/losses
                              train/optim train/network train/data)
set(EDGETWIN_USES_train/report ${EDGETWIN_USES_train/score} image plot train/journal train/score)
set(EDGETWIN_USES_train/run ${max78_placed} base/json image plot train/settings train/journal formats/torch train/rules targets/max78/quantize
                            train/score train/report
                            targets/max78/plan targets/max78/simulate
                            targets/max78/pipeline train/math train/engine train/layers train/losses
                            train/optim train/network train/checkpoint train/data)
set(EDGETWIN_USES_train/judge ${EDGETWIN_USES_train/run} base/json plot graph formats/onnx/document formats/onnx/write
                             train/export train/run)
set(EDGETWIN_USES_train/tape base tensor graph exec train/rules train/math)
set(EDGETWIN_USES_train/tune base tensor graph exec numerics lut formats/espdl/document formats/torch
                             quantize/calibration quantize/espdl/plan quantize/espdl train/rules
                             train/math train/engine train/optim train/espdl train/data train/tape)
set(EDGETWIN_USES_train/cases base train/rules base/json tensor numerics formats/torch formats/ai8x lut
                              train/engine train/layers train/losses train/optim train/espdl
                              train/network train/checkpoint)
set(EDGETWIN_USES_targets/edgetpu/isa base formats/darwinn)
set(EDGETWIN_USES_targets/edgetpu/program base formats/darwinn targets/edgetpu/isa)
set(EDGETWIN_USES_targets/edgetpu/inspect base formats/darwinn targets/edgetpu/isa
                                          targets/edgetpu/program)
set(EDGETWIN_USES_targets/edgetpu/params base tensor graph formats/darwinn targets/edgetpu/isa
                                         targets/edgetpu/program
                                         targets/edgetpu/inspect)
set(EDGETWIN_USES_targets/edgetpu/machine/steps base base/memory numerics numerics/edgetpu formats/darwinn
                                                targets/edgetpu/isa targets/edgetpu/program)
set(EDGETWIN_USES_targets/edgetpu/machine/lanes base numerics numerics/edgetpu kernels/core kernels/elements)
set(EDGETWIN_USES_targets/edgetpu/machine/engines base numerics numerics/edgetpu kernels/core targets/edgetpu/program
                                                  targets/edgetpu/machine/lanes
                                                  targets/edgetpu/machine/steps)
set(EDGETWIN_USES_targets/edgetpu/machine base formats/darwinn targets/edgetpu/program
                                          targets/edgetpu/machine/engines)
set(EDGETWIN_USES_targets/edgetpu/sync base formats/darwinn targets/edgetpu/isa
                                       targets/edgetpu/program targets/edgetpu/machine/steps
                                       targets/edgetpu/machine/engines targets/edgetpu/machine)
set(EDGETWIN_USES_targets/edgetpu/timed base/json plot targets/edgetpu/isa targets/edgetpu/sync)
set(EDGETWIN_USES_targets/edgetpu/forms base formats/darwinn targets/edgetpu/isa)
set(EDGETWIN_USES_targets/edgetpu/debugger base base/words formats/darwinn targets/edgetpu/isa
                                           targets/edgetpu/program targets/edgetpu/machine/engines
                                           targets/edgetpu/machine)
set(EDGETWIN_USES_targets/edgetpu/decompile/stages formats/darwinn targets/edgetpu/isa
                                                   targets/edgetpu/program)
set(EDGETWIN_USES_targets/edgetpu/decompile/replay base formats/darwinn targets/edgetpu/isa targets/edgetpu/program
                                                   targets/edgetpu/decompile/stages)
set(EDGETWIN_USES_targets/edgetpu/decompile/operands base formats/darwinn targets/edgetpu/isa
                                                     targets/edgetpu/params
                                                     targets/edgetpu/decompile/stages
                                                     targets/edgetpu/decompile/replay)
set(EDGETWIN_USES_targets/edgetpu/decompile/places formats/darwinn targets/edgetpu/decompile/stages
                                                   targets/edgetpu/decompile/operands)
set(EDGETWIN_USES_targets/edgetpu/decompile/sizes targets/edgetpu/decompile/stages
                                                  targets/edgetpu/decompile/operands)
set(EDGETWIN_USES_targets/edgetpu/decompile/pools targets/edgetpu/decompile/stages
                                                  targets/edgetpu/decompile/operands
                                                  targets/edgetpu/decompile/places
                                                  targets/edgetpu/decompile/sizes)
set(EDGETWIN_USES_targets/edgetpu/decompile/layers targets/edgetpu/isa
                                                   targets/edgetpu/decompile/stages
                                                   targets/edgetpu/decompile/operands
                                                   targets/edgetpu/decompile/places
                                                   targets/edgetpu/decompile/sizes
                                                   targets/edgetpu/decompile/pools)
set(EDGETWIN_USES_targets/edgetpu/decompile/scales base graph numerics numerics/edgetpu targets/edgetpu/decompile/operands)
set(EDGETWIN_USES_targets/edgetpu/decompile/write base tensor graph targets/edgetpu/decompile/operands
                                                  targets/edgetpu/decompile/scales)
set(EDGETWIN_USES_targets/edgetpu/decompile/compare base tensor graph exec numerics numerics/edgetpu
                                                    targets/edgetpu/decompile/operands
                                                    targets/edgetpu/decompile/scales
                                                    targets/edgetpu/decompile/write)
# Programs that only move bytes are told by executing them.
set(EDGETWIN_USES_targets/edgetpu/decompile graph formats/darwinn targets/edgetpu/machine
                                            targets/edgetpu/decompile/layers
                                            targets/edgetpu/decompile/write)
# From a network to programs: instructions, places, templates, the plan of a group of operators, the
# file, and what shows that it is right.
set(EDGETWIN_USES_targets/edgetpu/compile/emit base formats/darwinn targets/edgetpu/isa)
set(EDGETWIN_USES_targets/edgetpu/compile/place base)
set(EDGETWIN_USES_targets/edgetpu/compile/templates base targets/edgetpu/forms numerics numerics/edgetpu targets/edgetpu/params
                                                    targets/edgetpu/compile/emit
                                                    targets/edgetpu/compile/place)
set(EDGETWIN_USES_targets/edgetpu/compile/layout base graph formats/darwinn targets/edgetpu/isa targets/edgetpu/forms
                                                 targets/edgetpu/compile/emit
                                                 targets/edgetpu/compile/place
                                                 targets/edgetpu/compile/templates
                                                 targets/edgetpu/compile/judge)
set(EDGETWIN_USES_targets/edgetpu/compile/softmax numerics/edgetpu targets/edgetpu/isa
                                                  targets/edgetpu/compile/emit
                                                  targets/edgetpu/compile/templates
                                                  targets/edgetpu/compile/layout)
set(EDGETWIN_USES_targets/edgetpu/compile/judge base graph numerics numerics/edgetpu targets/edgetpu/params
                                                targets/edgetpu/compile/emit
                                                targets/edgetpu/compile/place
                                                targets/edgetpu/compile/templates)
set(EDGETWIN_USES_targets/edgetpu/compile/plan base graph numerics numerics/edgetpu formats/darwinn
                                               targets/edgetpu/isa targets/edgetpu/params
                                               targets/edgetpu/compile/layout
                                               targets/edgetpu/compile/softmax
                                               targets/edgetpu/compile/judge
                                               targets/edgetpu/compile/place
                                               targets/edgetpu/compile/templates)
set(EDGETWIN_USES_targets/edgetpu/compile/package base graph transform formats/darwinn
                                                  targets/edgetpu/compile/judge
                                                  targets/edgetpu/compile/plan)
set(EDGETWIN_USES_targets/edgetpu/compile/proof base graph transform exec formats/darwinn
                                                formats/tflite targets/edgetpu/isa targets/edgetpu/inspect
                                                targets/edgetpu/machine targets/edgetpu/sync
                                                targets/edgetpu/forms
                                                targets/edgetpu/decompile
                                                targets/edgetpu/decompile/compare
                                                targets/edgetpu/compile/package)
set(EDGETWIN_USES_targets/edgetpu/compile/likeness base graph formats/darwinn targets/edgetpu/isa targets/edgetpu/params)
set(EDGETWIN_USES_targets/edgetpu/compile base graph formats/darwinn targets/edgetpu/forms
                                          targets/edgetpu/compile/judge targets/edgetpu/compile/layout
                                          targets/edgetpu/compile/likeness
                                          targets/edgetpu/compile/plan
                                          targets/edgetpu/compile/package
                                          targets/edgetpu/compile/proof)
# A front of the compiler, of single layers.
set(EDGETWIN_USES_targets/edgetpu/synthesize base graph formats/tflite formats/darwinn
                                             targets/edgetpu/compile/judge targets/edgetpu/compile/plan
                                             targets/edgetpu/compile/package
                                             targets/edgetpu/compile/likeness
                                             targets/edgetpu/compile/proof targets/edgetpu/compile)
set(EDGETWIN_USES_targets/edgetpu/compile/outlook base graph exec plot ops/core targets/edgetpu/compile/judge
                                                  targets/edgetpu/compile/plan
                                                  targets/edgetpu/compile/package
                                                  targets/edgetpu/compile)
set(EDGETWIN_USES_targets/edgetpu/device base)
set(EDGETWIN_USES_targets/edgetpu/driver base formats/darwinn targets/edgetpu/program
                                         targets/edgetpu/device)
set(EDGETWIN_USES_targets/edgetpu/capture base targets/edgetpu/device)
set(EDGETWIN_USES_targets/edgetpu/libusb targets/edgetpu/device)
set(EDGETWIN_USES_targets/edgetpu/virtual_device/stick base targets/edgetpu/program
                                                       targets/edgetpu/device)
set(EDGETWIN_USES_targets/edgetpu/virtual_device/reference base graph transform exec formats/darwinn
                                                           targets/edgetpu/params
                                                           targets/edgetpu/virtual_device/stick)
set(EDGETWIN_USES_targets/edgetpu/virtual_device base targets/edgetpu/machine targets/edgetpu/device
                                                 targets/edgetpu/virtual_device/stick
                                                 targets/edgetpu/virtual_device/reference)
# Networks of which a part is compiled for the chip, on a device and the twin.
set(EDGETWIN_USES_targets/edgetpu/runtime base tensor graph exec formats/darwinn
                                          targets/edgetpu/params targets/edgetpu/program
                                          targets/edgetpu/machine targets/edgetpu/sync
                                          targets/edgetpu/driver)
set(EDGETWIN_USES_targets/edgetpu/recordings base tensor graph transform ops/edgetpu ops/registry exec image formats/tflite
                                             formats/darwinn decode targets/edgetpu/params)
set(EDGETWIN_USES_targets/edgetpu/templates base tensor graph)
set(EDGETWIN_USES_report base base/json tensor exec)
set(EDGETWIN_USES_report/model base base/json tensor graph exec verify report)
set(EDGETWIN_USES_report/page base base/json tensor graph exec verify report report/model)
set(EDGETWIN_USES_targets/max78/page ${max78_placed} plot report report/page targets/max78/plan
                                     targets/max78/analysis)
# Time, energy and room before there is a board.
set(EDGETWIN_USES_estimate base base/json targets plot report)
set(EDGETWIN_USES_estimate/max78 ${max78_placed} targets report targets/max78/program targets/max78/registers targets/max78/plan
                                 targets/max78/generate targets/max78/analysis estimate)
set(EDGETWIN_USES_estimate/espdl base targets tensor report formats/espdl/document estimate)
set(EDGETWIN_USES_estimate/edgetpu base targets tensor graph report formats/tflite formats/darwinn targets/edgetpu/isa
                                   targets/edgetpu/program estimate)
set(EDGETWIN_USES_estimate/fit base estimate)
set(EDGETWIN_USES_estimate/tiny base tensor formats/onnx/document formats/onnx/write)
# Accuracy over data sets: samples, integers of each, figures.
set(EDGETWIN_USES_evaluate/rules base)
set(EDGETWIN_USES_evaluate/data base evaluate/rules base/json tensor image formats/recordings)
set(EDGETWIN_USES_evaluate/metrics base base/json evaluate/precision evaluate/data)
set(EDGETWIN_USES_evaluate/parts base base/json evaluate/rules evaluate/data evaluate/metrics)
set(EDGETWIN_USES_evaluate/page base base/json report report/page)
set(EDGETWIN_USES_camera base tensor image)
set(EDGETWIN_USES_robotics/engine base tensor graph exec formats/tflite formats/darwinn twin/weights
                                  twin twin/invoke)
set(EDGETWIN_USES_robotics base base/json tensor graph image targets/edgetpu/params targets/edgetpu/templates
                           robotics/engine)
set(EDGETWIN_USES_robotics/flow base tensor targets/edgetpu/templates robotics)
set(EDGETWIN_USES_robotics/matmul base tensor robotics/engine robotics)
set(EDGETWIN_USES_robotics/trackers base base/words tensor robotics)
set(EDGETWIN_USES_robotics/device base tensor graph exec formats/tflite formats/darwinn
                                  targets/edgetpu/params targets/edgetpu/driver
                                  targets/edgetpu/runtime twin robotics/engine)
# Every table of rules, in one list.
set(EDGETWIN_USES_rules base evaluate/rules image/espdl ops/edgetpu targets/espdl/check targets/max78/rules
                        targets/max78/machine/state targets/edgetpu/inspect targets/edgetpu/forms
                        targets/edgetpu/sync targets/edgetpu/compile/judge
                        targets/edgetpu/virtual_device/stick train/rules twin/tensors)
set(EDGETWIN_USES_twin/weights base tensor graph formats/darwinn targets/edgetpu/params
                               targets/edgetpu/driver targets/edgetpu/runtime)
# The front door: everything that computes, under include/edgetwin/.
set(EDGETWIN_USES_twin ${EDGETWIN_FOLDERS})
list(FILTER EDGETWIN_USES_twin EXCLUDE REGEX "^(cli|c$|twin|camera|robotics|rules|train)")
list(FILTER EDGETWIN_USES_twin EXCLUDE REGEX "^(cli|twin|camera|cluster|robotics|rules|serve|train)")
list(APPEND EDGETWIN_USES_twin twin/weights)
set(EDGETWIN_USES_twin/tensors ${EDGETWIN_USES_twin} twin)
set(EDGETWIN_USES_twin/invoke base tensor twin)
set(EDGETWIN_USES_twin/decode ${EDGETWIN_USES_twin} twin)
set(EDGETWIN_USES_twin/vision ${EDGETWIN_USES_twin} twin twin/decode)
set(EDGETWIN_USES_twin/verify ${EDGETWIN_USES_twin} twin twin/vision)
set(EDGETWIN_USES_twin/report ${EDGETWIN_USES_twin} twin twin/verify twin/estimate)
set(EDGETWIN_USES_twin/learn base tensor graph transform formats/tflite)
set(EDGETWIN_USES_twin/make ${EDGETWIN_USES_twin} twin)
set(EDGETWIN_USES_twin/firmware ${EDGETWIN_USES_twin} twin twin/vision)
set(EDGETWIN_USES_twin/tools ${EDGETWIN_USES_twin} twin robotics)
set(EDGETWIN_USES_twin/estimate ${EDGETWIN_USES_twin} twin twin/make)
set(EDGETWIN_USES_twin/compare ${EDGETWIN_USES_twin} base/folders twin twin/make twin/estimate twin/evaluate)
set(EDGETWIN_USES_twin/evaluate ${EDGETWIN_USES_twin} twin twin/decode)
# The live page: the server, what it shows, and the assets of the page.
set(EDGETWIN_USES_serve/http base base/json base/modules)
set(EDGETWIN_USES_serve/page base)
set(EDGETWIN_USES_serve/modes base base/json tensor graph plot image exec decode report formats/tflite targets/edgetpu/templates
                              robotics robotics/engine robotics/flow robotics/matmul robotics/trackers
                              twin twin/weights twin/make twin/decode)
set(EDGETWIN_USES_serve/session base base/json tensor image plot report camera serve/modes)
set(EDGETWIN_USES_serve/inspect base base/folders base/json targets tensor graph plot verify lut exec report report/model formats/darwinn formats/tflite
                                formats/espdl/read formats/espdl/document twin twin/tools twin/estimate
                                twin/compare twin/make twin/verify ops/registry ${EDGETWIN_USES_targets/max78/page}
                                targets/max78/page targets/max78/pipeline targets/max78/machine/player
                                targets/max78/program targets/edgetpu/decompile/layers rules
                                ${EDGETWIN_USES_targets/edgetpu/decompile/layers})
set(EDGETWIN_USES_serve/app base base/json report serve/http serve/page serve/modes serve/session serve/inspect)
# Several processes: the one folder that knows MPI.
set(EDGETWIN_USES_cluster base base/modules evaluate/rules twin/evaluate)
# The program may use every library; one verb does not use another.
set(EDGETWIN_USES_cli/networks ${EDGETWIN_FOLDERS})
list(FILTER EDGETWIN_USES_cli/networks EXCLUDE REGEX "^(cli|c$)")
set(EDGETWIN_USES_cli/shared base base/json base/words targets targets/max78/planner tensor numerics
                            ops/registry report twin)
list(APPEND EDGETWIN_USES_cli/networks cli/shared)
set(EDGETWIN_USES_cli/streams ${EDGETWIN_USES_cli/networks} cli/networks)
foreach(folder IN LISTS EDGETWIN_VERB_FOLDERS)
  set(EDGETWIN_USES_${folder} ${EDGETWIN_USES_cli/networks} cli/networks cli/streams)
endforeach()
# Command lines of the vendor's tools for the MAX7800x.
set(EDGETWIN_USES_cli/vendor base tensor formats/ai8x targets/max78/chip targets/max78/options cli/shared)
set(EDGETWIN_USES_cli base base/json targets report cli/shared cli/networks cli/vendor
                      ${EDGETWIN_VERB_FOLDERS})

# The C interface: the library, and the verbs for the documents that they print.
set(EDGETWIN_USES_c base base/folders base/json targets tensor ops/registry kernels/core twin twin/tensors twin/verify twin/learn
                    rules cli/shared cli)

# Headers of other projects, and the one folder that may include each (.cc files only).
set(EDGETWIN_THIRD_PARTY
    "zip.h=tensor"
    "flatbuffers/=formats/tflite formats/espdl/read formats/espdl/write formats/darwinn"
    "onnx/=formats/onnx/document"
    "google/protobuf/=formats/onnx/document"
    "openssl/=formats/espdl/wire"
    "yaml-cpp/=formats/ai8x"
    "lodepng.h=image base/gzip"
    "turbojpeg.h=image"
    "Eigen/=robotics/matmul"
    "libusb-1.0/=targets/edgetpu/libusb"
    "nlohmann/=base/json targets/edgetpu/recordings"
    "CLI/=cli/shared"
    "httplib.h=serve/http"
    "mpi.h=cluster"
    "fmt/=report")
