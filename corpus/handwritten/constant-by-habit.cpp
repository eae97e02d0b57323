// Numbers that nobody changes, though they might: one of them in this file, the other by a slider.
int rounds = 1;
int strength = 2;

void setup() {
    vs_gui_add_slider("strength", 0, 4, strength, &strength);
}

void row() {
    scamp5_kernel_begin();
        for (int i = 0; i < rounds; i++) {
            divq(C, A); movx(D, C, east); add(A, C, D);
            divq(C, A); movx(D, C, west); add(A, C, D);
        }
    scamp5_kernel_end();
}

void blur() {
    scamp5_kernel_begin();
        newsblur(B, A, strength);
    scamp5_kernel_end();
}
