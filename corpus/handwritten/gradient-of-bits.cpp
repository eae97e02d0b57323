// The border of bright regions: what a dilation adds, two ways. The second forgets that R0 is the scratch register of AND.
void border() {
    scamp5_kernel_begin();
        DNEWS(R6, R5, alldir);
        NOT(R8, R5);
        AND(R7, R6, R8);
    scamp5_kernel_end();
}

void border_in_scratch() {
    scamp5_kernel_begin();
        DNEWS(R6, R5, alldir);
        NOT(R0, R5);
        AND(R7, R6, R0);
    scamp5_kernel_end();
}
