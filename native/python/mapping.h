// Declares how Python dictionaries become judgments and judged rows. Called with the GIL held.
#pragma once

#include <Python.h>

#include <string>

#include "matching/rows.h"

namespace carob {

// A fault in a dictionary. Query and document are references owned by the catcher, or null.
struct MappingFault {
    const char* kind;
    PyObject* query;
    PyObject* document;
    std::string detail;
};

// Thrown when a Python exception has been set.
struct PythonFault {};

// Which ids are allowed: only text, or text and whole numbers.
enum class IdKinds { text, whole };

Judgments judgments_from_mapping(PyObject* qrels, IdKinds ids);
Matched match_mapping(const Judgments& judgments, PyObject* run, const MatchOptions& options, IdKinds ids);

}  // namespace carob
