// Converts the kernel's faults to Python exceptions.
#pragma once

#include <type_traits>

#include "frames/columns.h"
#include "matching/judgments.h"
#include "matching/parallel.h"
#include "python/mapping.h"
#include "python/values.h"

namespace carob::python {

void bind_errors(nb::module_& module);

[[noreturn]] void raise_line_error(const carob::LineFault& fault);
[[noreturn]] void raise_mapping_error(const carob::MappingFault& fault);
[[noreturn]] void raise_row_error(const carob::RowFault& fault);
[[noreturn]] void raise_frame_error(const carob::FrameFault& fault);
[[noreturn]] void raise_id_error(const char* kind, std::string_view query, std::string_view document);
[[noreturn]] void raise_source_error(const carob::SourceFault& fault, nb::handle source);

// Whether to continue: false after a signal handler, for example that of Ctrl-C, has set an exception.
bool go_on();

// Runs `work` and converts the kernel's faults to Python exceptions; called with the GIL held.
template <class Work>
auto translated(nb::handle source, Work&& work) {
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            work();
        } else {
            auto made = work();
            // Otherwise, Python would handle a signal in the next code it runs, which may be a finalizer, and
            // finalizers swallow exceptions.
            if (!go_on()) throw nb::python_error();
            return made;
        }
    } catch (const carob::LineFault& fault) {
        raise_line_error(fault);
    } catch (const carob::MappingFault& fault) {
        raise_mapping_error(fault);
    } catch (const carob::RowFault& fault) {
        raise_row_error(fault);
    } catch (const carob::FrameFault& fault) {
        raise_frame_error(fault);
    } catch (const carob::SourceFault& fault) {
        raise_source_error(fault, source);
    } catch (const carob::PythonFault&) {
        throw nb::python_error();
    } catch (const carob::Interrupted&) {
        throw nb::python_error();  // PyErr_CheckSignals has set the exception
    }
}

}  // namespace carob::python
