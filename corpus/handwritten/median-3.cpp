// The median of a pixel and its neighbours to the west and east, by three compare-exchanges.
#define ORDER(lo, hi) { sub(E, lo, hi); where(E); mov(F, lo); mov(lo, hi); mov(hi, F); all(); }
void median() {
    scamp5_kernel_begin();
        movx(B, A, west);
        movx(C, A, east);
        ORDER(A, B)
        ORDER(B, C)
        ORDER(A, B)
    scamp5_kernel_end();
}
