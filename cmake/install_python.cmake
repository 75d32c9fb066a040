# The Python packages; the library is found by the loader, or in edgetwin/_lib of a wheel. The modules
# with names of other projects are a component of their own.
set(python_folder lib/python3/dist-packages)
set(python_files FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/edgetwin DESTINATION ${python_folder} COMPONENT python
        ${python_files})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/espdl_quantize_onnx DESTINATION ${python_folder}
        COMPONENT python ${python_files})
foreach(package tflite_runtime ai_edge_litert pycoral)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/${package} DESTINATION ${python_folder}
          COMPONENT python_compat ${python_files})
endforeach()
