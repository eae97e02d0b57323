// What corpus/handwritten/helpers-in-header.cpp includes: names of registers, and a function with a program of its own.
#ifndef HELPERS_HPP
#define HELPERS_HPP

#define AREG_frame A
#define AREG_sum   B

// Adds to a register what its neighbours on both sides hold.
inline void blur_row(areg_t target, areg_t source, areg_t scratch) {
    scamp5_dynamic_kernel_begin();
        movx(scratch, source, east);
        add(target, source, scratch);
        movx(scratch, source, west);
        add(target, target, scratch);
    scamp5_dynamic_kernel_end();
}

#endif
