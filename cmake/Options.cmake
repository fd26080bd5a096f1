# Compile options for our own code. Third-party headers come in as SYSTEM and get no warnings.
add_library(sluice_options INTERFACE)
target_compile_options(sluice_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wshadow -Werror>
  $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2 -fstack-protector-strong>)
target_compile_definitions(sluice_options INTERFACE SLUICE_VERSION="${PROJECT_VERSION}")
target_link_options(sluice_options INTERFACE -Wl,-z,relro,-z,now)
if(SLUICE_SANITIZE)
  target_compile_options(sluice_options INTERFACE
    -fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sluice_options INTERFACE -fsanitize=${SLUICE_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()
