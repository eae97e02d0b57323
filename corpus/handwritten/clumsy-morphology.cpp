// Bright spots without the single pixels: an opening, erosion and then dilation, with each step written out by macros.
const dreg_t mask = R5, work = R6, near = R7, spots = R8;

void opening() {
    scamp5_kernel_begin();
        NOT(work, mask);
        DNEWS(near, work, alldir);
        OR(work, near);
        NOT(near, work);
        DNEWS(work, near, alldir);
        MOV(spots, work);
        OR(spots, near);
        AND(work, spots, mask);
        MOV(spots, work);
    scamp5_kernel_end();
}
