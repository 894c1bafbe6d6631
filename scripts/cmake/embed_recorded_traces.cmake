# cmake -DPATHS=a.json;… -DFOLDER=… -DOUTPUT=file.cpp -P embed_recorded_traces.cmake
set(rows "")
foreach(path IN LISTS PATHS)
  file(READ ${FOLDER}/${path} text)
  string(APPEND rows "    {\"${path}\", R\"gpucheck_trace(${text})gpucheck_trace\"sv},\n")
endforeach()
list(LENGTH PATHS count)
file(WRITE ${OUTPUT} "#include \"replay/recorded/recorded_files.hpp\"

#include <array>

namespace gpucheck::replay {

using namespace std::string_view_literals;  // whose lengths need not be counted

std::span<const RecordedFile> recorded_files() {
  static constexpr std::array<RecordedFile, ${count}> files{{
${rows}  }};
  return files;
}

}  // namespace gpucheck::replay
")
