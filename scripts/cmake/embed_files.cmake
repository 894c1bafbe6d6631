# cmake -DPATHS=a/b.json;… -DFOLDER=… -DHEADER=… -DTYPE=… -DFUNCTION=… -DOUTPUT=file.cpp -P embed_files.cmake
#   Files as constants in the program: FUNCTION of namespace gpucheck, which HEADER declares, returns a span of TYPE, an
#   aggregate of two views: a path below FOLDER, and what the file holds.
set(rows "")
foreach(path IN LISTS PATHS)
  file(READ ${FOLDER}/${path} text)
  string(APPEND rows "    {\"${path}\", R\"gpucheck_file(${text})gpucheck_file\"sv},\n")
endforeach()
list(LENGTH PATHS count)
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

#include <array>
#include <string_view>

namespace gpucheck {

using namespace std::string_view_literals;  // whose lengths need not be counted

std::span<const ${TYPE}> ${FUNCTION}() {
  static constexpr std::array<${TYPE}, ${count}> files{{
${rows}  }};
  return files;
}

}  // namespace gpucheck
")
