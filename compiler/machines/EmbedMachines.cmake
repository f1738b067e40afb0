# cmake -DFOLDER=topologies -DOUTPUT=MachineTexts.cpp -P EmbedMachines.cmake: writes the .topo files of a folder as
# C++, by name; what MachineTypes.h declares.
file(GLOB files ${FOLDER}/*.topo) # in lexical order
set(types "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WLE)
  file(READ "${file}" text)
  if(NOT text MATCHES "\n  \"description\": \"([^\"\\]*)\",\n")
    message(FATAL_ERROR "${file}: expected a line '  \"description\": \"...\",' without quotes in the text")
  endif()
  string(APPEND types "    {\"${name}\",\n     \"${CMAKE_MATCH_1}\",\n     R\"topo(${text})topo\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by compiler/machines/EmbedMachines.cmake.
#include \"compiler/machines/MachineTypes.h\"

llvm::ArrayRef<blink::MachineType> blink::machineTypes() {
  static constexpr MachineType types[] = {
${types}  };
  return types;
}
")
