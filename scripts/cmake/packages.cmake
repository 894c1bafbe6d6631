# CPack: a .deb and a .tar.gz of the program, its manual, completions and integrations, from what is built already:
#   cmake --build --preset package && cpack --config build/package/CPackConfig.cmake -B FOLDER
# The library is not in them: its archives belong to the compiler and the libraries that they were built with.
set(GPUCHECK_PACKAGER "gpucheck <gpucheck@packages.invalid>" CACHE STRING "Who answers for the packages: NAME <MAIL>")

# What the licences of the code in the program want to be passed on with it, as Debian's packages have it. Boost's wants
# nothing of programs.
execute_process(COMMAND ${GPUCHECK_GCC} -dumpversion OUTPUT_VARIABLE gcc_version OUTPUT_STRIP_TRAILING_WHITESPACE)
set(linked_packages libcli11-dev libfmt-dev libgcc-${gcc_version}-dev libminizip-dev libpugixml-dev libre2-dev
                    libtomlplusplus-dev nlohmann-json3-dev rapidjson-dev zlib1g-dev)
if(re2_uses_abseil)
  list(APPEND linked_packages libabsl-dev)
endif()
set(gpucheck_notices "")
foreach(package IN LISTS linked_packages)
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(READ /usr/share/doc/${package}/copyright notice)
  else()
    set(notice "No notice was found where the program was built: it must not be passed on.\n")
  endif()
  string(APPEND gpucheck_notices "\n==== ${package}\n\n${notice}")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright.in ${CMAKE_BINARY_DIR}/copyright @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/copyright TYPE DOC COMPONENT program)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_INSTALL_CMAKE_PROJECTS ${CMAKE_BINARY_DIR} gpucheck program /)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/finish_package.cmake)
set(CPACK_PACKAGE_VENDOR gpucheck)
set(CPACK_PACKAGE_CONTACT ${GPUCHECK_PACKAGER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "judges whether GPUs may be trusted with deep-learning work")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "gpucheck runs named cases, each in a process that it can afford to lose,
and judges what they observe: the hardware (memory, ECC, links, clocks,
bandwidth, matrix products, collectives) and the runtime that deep learning
leans on. Without a GPU it runs on its own simulated device, and says so.")
string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} CPACK_SYSTEM_NAME)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
