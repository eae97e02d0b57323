// Edges in both directions above a level: absolute values, a sum of bits, and points that stand alone removed.
#define MAGNITUDE(y, x, d) subx(E, x, d, x); abs(y, E);

scamp5_kernel edges([]{
    using namespace scamp5_kernel_api;
    scamp5_load_in(25);
    MAGNITUDE(B, A, east)
    MAGNITUDE(C, A, north)
    sub(D, B, IN);
    where(D);
        MOV(R5, FLAG);
    all();
    sub(D, C, IN);
    where(D);
        MOV(R6, FLAG);
    all();
    OR(R5, R6);
    DNEWS(R7, R5, alldir, 0);
    NOT(R8, R7);
    CLR_IF(R5, R8);
});
