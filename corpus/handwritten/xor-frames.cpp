// Where two frames of bits differ: the frame before stands in S1 and gives way to the new one in S0.
void changes(DREG now, DREG before, DREG changed) {
    scamp5_dynamic_kernel_begin();
        MOV(R9, before);
        XORX(changed, R9, now);
        MOV(before, now);
    scamp5_dynamic_kernel_end();
}

void frame() {
    changes(S0, S1, S2);
}
