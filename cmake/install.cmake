# `cmake --install`: program, shared libraries, headers, package files, man pages, shell completion,
# documents, Python packages. Nothing of tests/ is installed; some of the tests link code under the
# GPL. Components: program, modules, library, development, python, python_compat; each is a Debian package.
# cpack does not build tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS edgetwin RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(EDGETWIN_SHARED)
  # What the program and the libraries load when they use it.
  get_property(modules GLOBAL PROPERTY EDGETWIN_MODULE_TARGETS)
  install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/edgetwin COMPONENT modules)
  include(install_library)
endif()

# Man pages and completion, which the build makes from the program's own table of verbs.
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL
        FILES_MATCHING PATTERN "*.1")
set(completions ${PROJECT_BINARY_DIR}/completions)
install(FILES ${completions}/edgetwin.bash RENAME edgetwin OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completions}/_edgetwin OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${completions}/edgetwin.fish OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The Edge TPU's stick for everybody who is logged in.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/60-edgetwin-coral.rules DESTINATION lib/udev/rules.d)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD-PARTY.md
              ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")

include(debian_files)
if(EDGETWIN_SHARED)
  include(install_python)
endif()
