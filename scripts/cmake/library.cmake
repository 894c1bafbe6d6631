# The core as a library for other projects: in them, find_package(gpucheck) gives gpucheck::runtime and
# gpucheck::device_sim. Headers include each other by their path from lib; installed, they lie under include/gpucheck in
# the same folders. What CUDA, the fault layer and tests need is left out, and what reads TOML or makes digests.
include(CMakePackageConfigHelpers)

set(gpucheck_library_parts fmt base device device_sim runtime)
set(gpucheck_library_targets ${gpucheck_library_parts})
list(TRANSFORM gpucheck_library_targets PREPEND gpucheck_)
foreach(part IN LISTS gpucheck_library_parts)
  set_target_properties(gpucheck_${part} PROPERTIES EXPORT_NAME ${part})
endforeach()
set_property(TARGET gpucheck_base APPEND PROPERTY INTERFACE_COMPILE_FEATURES $<INSTALL_INTERFACE:cxx_std_20>)

set(gpucheck_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gpucheck)
install(TARGETS ${gpucheck_library_targets} EXPORT gpucheck COMPONENT library
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpucheck)
install(DIRECTORY lib/base lib/device lib/runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpucheck COMPONENT library
        FILES_MATCHING PATTERN "*.hpp" REGEX "/(benchmarks|cuda|data|fault|fuzz|tests|toml|digest\\.hpp)$" EXCLUDE)
install(EXPORT gpucheck FILE gpucheck-targets.cmake NAMESPACE gpucheck:: DESTINATION ${gpucheck_package_folder}
        COMPONENT library)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gpucheck-config.cmake.in
                              ${CMAKE_BINARY_DIR}/gpucheck-config.cmake INSTALL_DESTINATION ${gpucheck_package_folder})
# Until 1.0 an interface may change with each 0.N.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/gpucheck-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gpucheck-config.cmake ${CMAKE_BINARY_DIR}/gpucheck-config-version.cmake
        DESTINATION ${gpucheck_package_folder} COMPONENT library)
