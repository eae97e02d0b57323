// Dilation of bits by a cross, as often as a template says; erosion by way of the complement.
template <int N>
void dilate(DREG y, DREG x) {
    MOV(y, x);
    for (int i = 0; i < N; i++) {
        DNEWS(R10, y, east | west | north | south);
        OR(y, R10);
    }
}

void expand() {
    scamp5_kernel_begin();
        dilate<2>(S1, S0);
    scamp5_kernel_end();
}

void shrink(dreg_t const& y, dreg_t const& x) {
    scamp5_dynamic_kernel_begin();
        NOT(R9, x);
        dilate<1>(R8, R9);
        NOT(y, R8);
    scamp5_dynamic_kernel_end();
}
