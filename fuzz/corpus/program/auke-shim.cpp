// AUKE's printed steps as comments beside code, with definitions that make the code compile.
#define west(X,Y)   {mov(X,Y,west);}
#define east(X,Y)   {mov(X,Y,east);}
#define south(X,Y)  {mov(X,Y,south);}
#define north(X,Y)  {mov(X,Y,north);}
#define div2(X,Y)   {div(X,F,Y);}
#define div2_inplace(X,Y)  {diva(X,E,F);}
#define neg_inplace(X,Y)({\
    mov(F,Y);\
    neg(X,F);\
})

inline void conv() {
    scamp5_kernel_begin();
        // [A] -> [A] || x:0 y:0 s:1 neg:0
        // _transform(A, A, 0, 0, 1, 0);
        div2_inplace(A, A);
        // [A] -> [B] || x:1 y:0 s:1 neg:0
        // _transform(A, B, 1, 0, 1, 0);
        east(B, A);
        div2_inplace(B, B);
        // [A] -> [C] || x:-1 y:0 s:1 neg:0
        // _transform(A, C, -1, 0, 1, 0);
        west(C, A);
        div2_inplace(C, C);
        add(B, B, C);
        add(A, A, B);
        // [A] -> [A] || x:0 y:0 s:0 neg:1
        // _transform(A, A, 0, 0, 0, 1);
        neg_inplace(A, A);
    scamp5_kernel_end();
}
