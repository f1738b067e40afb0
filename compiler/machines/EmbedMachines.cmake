# cmake -DFOLDER=topologies -DOUTPUT=MachineTexts.cpp -P EmbedMachines.cmake: writes the .topo files of a folder as
# C++, by name; what MachineTypes.h declares.
file(GLOB names RELATIVE ${FOLDER} ${FOLDER}/*.topo)
list(TRANSFORM names REPLACE "\\.topo$" "")
list(SORT names) # not with their endings: "a-b.topo" stands before "a.topo"
set(types "")
foreach(name IN LISTS names)
  set(file ${FOLDER}/${name}.topo)
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
