// Turns the kernel's faults into Python's exceptions.
#pragma once

#include <type_traits>

#include "frames/columns.h"
#include "matching/judgments.h"
#include "matching/parallel.h"
#include "python/mapping.h"
#include "python/values.h"

namespace karat::python {

void bind_errors(nb::module_& module);

[[noreturn]] void raise_line_error(const karat::LineFault& fault);
[[noreturn]] void raise_mapping_error(const karat::MappingFault& fault);
[[noreturn]] void raise_row_error(const karat::RowFault& fault);
[[noreturn]] void raise_frame_error(const karat::FrameFault& fault);
[[noreturn]] void raise_source_error(const karat::SourceFault& fault, nb::handle source);

// Whether to go on: false once a signal's handler, such as that of Ctrl-C, has set an exception.
bool go_on();

// Runs `work` and turns the kernel's faults into Python's; called with the GIL held.
template <class Work>
auto translated(nb::handle source, Work&& work) {
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
        } else {
            auto made = work();
            // Else Python would handle a signal in the next code that it runs: perhaps a finalizer, which drops exceptions.
            if (!go_on()) throw nb::python_error();
            return made;
        }
    } catch (const karat::LineFault& fault) {
        raise_line_error(fault);
    } catch (const karat::MappingFault& fault) {
        raise_mapping_error(fault);
    } catch (const karat::RowFault& fault) {
        raise_row_error(fault);
    } catch (const karat::FrameFault& fault) {
        raise_frame_error(fault);
    } catch (const karat::SourceFault& fault) {
        raise_source_error(fault, source);
    } catch (const karat::PythonFault&) {
        throw nb::python_error();
    } catch (const karat::Interrupted&) {
        throw nb::python_error();  // PyErr_CheckSignals has set it
    }
}

}  // namespace karat::python
