// Takes the connected blobs of an image one after the other: what was flooded leaves the image by an exclusive or, which older
// libraries spell XOR. The host's threshold is a variable of another file.
void threshold_image() {
    scamp5_in(E, level_of_another_file);
    scamp5_kernel_begin();
        sub(B, A, E);
        where(B);
            MOV(R6, FLAG);
        all();
    scamp5_kernel_end();
}

void remove_blob() {
    scamp5_kernel_begin();
        MOV(R9, R6);
        XOR(R8, R9, R7);
        MOV(R6, R8);
    scamp5_kernel_end();
}
