# This file lists the kernel's sources and how they are compiled; the module, the tests and the fuzz target share it.
set(KARAT_KERNEL
  ${CMAKE_CURRENT_LIST_DIR}/blocks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/columns.cpp
  ${CMAKE_CURRENT_LIST_DIR}/decimal.cpp
  ${CMAKE_CURRENT_LIST_DIR}/frame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/gather.cpp
  ${CMAKE_CURRENT_LIST_DIR}/json.cpp
  ${CMAKE_CURRENT_LIST_DIR}/judgments.cpp
  ${CMAKE_CURRENT_LIST_DIR}/match.cpp
  ${CMAKE_CURRENT_LIST_DIR}/match_frame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/numbers.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parquet.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ranked.cpp
  ${CMAKE_CURRENT_LIST_DIR}/read_frame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/reading.cpp
  ${CMAKE_CURRENT_LIST_DIR}/reduce.cpp
  ${CMAKE_CURRENT_LIST_DIR}/regroup.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/source.cpp
  ${CMAKE_CURRENT_LIST_DIR}/survey.cpp)
set(KARAT_KERNEL_DIR ${CMAKE_CURRENT_LIST_DIR})

option(KARAT_PORTABLE "Leave out vector instructions, 128-bit products and from_chars" OFF)

find_package(Threads REQUIRED)

function(karat_compile_options target)
  target_include_directories(${target} PRIVATE ${KARAT_KERNEL_DIR})
  target_link_libraries(${target} PRIVATE Threads::Threads)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /utf-8 $<$<CONFIG:Release>:/O2>)
  else()
    # No contraction: a sum of products must not depend on whether the machine has a fused instruction.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -ffp-contract=off
                           $<$<CONFIG:Release>:-O3>)
    # What reads files of strangers ends before it writes where it must not; the sanitizers watch by themselves.
    if(NOT KARAT_SANITIZE)
      target_compile_options(${target} PRIVATE -fstack-protector-strong
                             $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=3>)
    endif()
  endif()
  if(KARAT_PORTABLE)
    target_compile_definitions(${target} PRIVATE KARAT_PORTABLE)
  endif()
  if(KARAT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
                           -O1 -g1) # a third of the time of -O2 -g; a report needs lines and no variables
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()
