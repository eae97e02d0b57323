// Negative values become 0; a lambda that the host launches.
scamp5_kernel relu([]{
    using namespace scamp5_kernel_api;
    where(A);
        MOV(R5, FLAG);
    all();
    NOT(R6, R5);
    WHERE(R6);
        res(A);
    ALL();
});
