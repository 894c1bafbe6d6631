# cmake -DPATHS=a/b.json;… -DFOLDER=… -DOUTPUT=file.cpp -P embed_goldens.cmake
set(rows "")
foreach(path IN LISTS PATHS)
  file(READ ${FOLDER}/${path} text)
  string(APPEND rows "    {\"${path}\", R\"gpucheck_golden(${text})gpucheck_golden\"},\n")
endforeach()
list(LENGTH PATHS count)
file(WRITE ${OUTPUT} "#include \"golden_files.hpp\"

#include <array>

namespace gpucheck {

std::span<const golden::GoldenSet::File> embedded_goldens() {
  static constexpr std::array<golden::GoldenSet::File, ${count}> files{{
${rows}  }};
  return files;
}

}  // namespace gpucheck
")
