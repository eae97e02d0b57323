//! Names in code: words that are made of the names in files. They are valid in C, C++ and Rust, and different where they must be.

use std::collections::BTreeSet;
use std::iter::once;

/// A name as a word of letters, digits and underscores.
pub(in crate::backend) fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The words of names, in their order. A word that is there already, alone or with one of these endings, gets a number.
pub(in crate::backend) fn words<'n>(names: impl Iterator<Item = &'n str>, endings: &[&str]) -> Vec<String> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let all =
        |word: &str| once(&"").chain(endings).map(|ending| format!("{word}{ending}")).collect::<Vec<_>>();
    let mut words = Vec::new();
    for name in names {
        let (plain, mut number) = (word(name), 1);
        let mut found = plain.clone();
        while all(&found).iter().any(|word| known.contains(word)) {
            number += 1;
            found = format!("{plain}_{number}");
        }
        known.extend(all(&found));
        words.push(found);
    }
    words
}

/// A name as the name of a function, which `is_taken` does not hold of. It begins with a letter.
pub(in crate::backend) fn function(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut found = word(name);
    if !found.starts_with(|c: char| c.is_ascii_alphabetic()) {
        found.insert_str(0, "filter_");
    }
    // No keyword ends in an underscore, and no name of C's library does.
    while is_known(&found) || is_taken(&found) {
        found.push('_');
    }
    found
}

/// Whether a name is a keyword, or of a library.
fn is_known(name: &str) -> bool {
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    let among = |list: &str, name: &str| list.split_whitespace().any(|known| known == name);
    let of_floats = plain.strip_prefix('f').is_some_and(|rest| among(OF_FLOATS, rest));
    let is_mathematical = of_floats || [name, plain].iter().any(|name| among(MATHEMATICAL, name));
    is_mathematical || KNOWN.iter().any(|list| among(list, name))
}

/// Names that mean something else, in all of these languages together since headers of C are for C++, too.
const KNOWN: [&str; 5] = [KEYWORDS, TYPES, MACROS, LIBRARY, SYSTEM];

/// The keywords of C23, C++26 and Rust 2024 with those that they keep for later, and the entry of programs. Operators of C++ are among them.
const KEYWORDS: &str = "Self abstract alignas alignof and and_eq as asm async auto await become bitand bitor bool box break case \
    catch char char16_t char32_t char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr \
    constinit continue contract_assert crate decltype default delete do double dyn dynamic_cast else enum explicit export extern false final \
    float fn for friend gen goto if impl in inline int let long loop macro main match mod move mut mutable namespace new \
    noexcept not not_eq nullptr operator or or_eq override priv private protected pub public ref register reinterpret_cast \
    requires restrict return self short signed sizeof static static_assert static_cast struct super switch template this \
    thread_local throw trait true try type typedef typeid typename typeof typeof_unqual union unsafe unsigned unsized use \
    using virtual void volatile wchar_t where while xor xor_eq yield";

/// The types of C's headers, and what Rust knows everywhere.
const TYPES: &str = "double_t float_t int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t \
    int_least16_t int_least32_t int_least64_t int_least8_t intmax_t intptr_t max_align_t nullptr_t ptrdiff_t size_t std \
    uint16_t uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t \
    uint_least64_t uint_least8_t uintmax_t uintptr_t uint ulong ushort Err None Ok Some";

/// Macros of the headers that the code includes, of compilers, and of the code itself.
const MACROS: &str = "FLT_EVAL_METHOD HUGE_VAL HUGE_VALF HUGE_VALL INFINITY INT16_C INT16_MAX INT16_MIN INT32_C INT32_MAX \
    INT32_MIN INT64_C INT64_MAX INT64_MIN INT8_C INT8_MAX INT8_MIN INTMAX_C INTMAX_MAX INTMAX_MIN INTPTR_MAX INTPTR_MIN \
    KALG_APART KALG_PROCESS KALG_PROCESSES NAN NULL PTRDIFF_MAX PTRDIFF_MIN SIZE_MAX UINT16_C UINT16_MAX UINT32_C UINT32_MAX \
    UINT64_C UINT64_MAX UINT8_C UINT8_MAX UINTMAX_C UINTMAX_MAX UINTPTR_MAX i386 linux offsetof unix unreachable";

/// Functions of C's library. Compilers know some, and a program whose own function has the name of another calls that one instead.
const LIBRARY: &str = "abort abs aligned_alloc asctime at_quick_exit atexit atof atoi atol atoll basename bsearch calloc clearerr clock \
    ctime difftime div exit fclose feof ferror fflush fgetc fgetpos fgets ffs fopen fprintf fputc fputs fread free freopen fscanf \
    fseek fsetpos ftell fwrite getc getchar getenv gets gmtime isalnum isalpha isblank iscntrl isdigit isgraph islower isprint \
    ispunct isspace isupper isxdigit labs ldiv llabs lldiv localeconv localtime longjmp malloc mblen mbstowcs mbtowc memccpy \
    memchr memcmp memcpy memmove memset mktime perror printf putc putchar puts qsort quick_exit raise rand random realloc remove \
    rename rewind scanf setbuf setjmp setlocale setvbuf signal snprintf sprintf srand sscanf strcat strchr strcmp strcoll \
    strcpy strcspn strdup strerror strftime strlen strncat strncmp strncpy strndup strpbrk strrchr strspn strstr strtod \
    strtof strtok strtol strtold strtoll strtoul strtoull strxfrm system time timespec_get tmpfile tmpnam tolower toupper \
    ungetc va_arg va_copy va_end va_start vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wcstombs wctomb";

/// Functions that C's library calls itself on systems with POSIX.
const SYSTEM: &str = "access alloca bcmp bcopy bzero close dup dup2 execve fcntl fork fstat getpid index ioctl kill lseek mmap \
    mprotect munmap open pause pipe poll read rindex sbrk select sleep stat write";

/// The functions of `<math.h>`, with those that C libraries add. There are versions of them in single precision and for long numbers.
const MATHEMATICAL: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 \
    expm1 finite floor fpclassify frexp gamma hypot ilogb isfinite isinf \
    isnan isnormal j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan \
    nearbyint nextafter nexttoward pow remainder remquo rint round scalb scalbln scalbn signbit sin \
    sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn";

/// Those that begin with an `f`, without it.
const OF_FLOATS: &str = "abs dim ma max min mod";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_names_of_their_own() {
        let free = |name: &str| function(name, |_| false);
        assert_eq!(free("box-15"), "box_15");
        assert_eq!(free("3x3"), "filter_3x3");
        assert_eq!(
            ["log", "floorf", "gamma", "fabsf", "half", "blur"].map(free),
            ["log_", "floorf_", "gamma_", "fabsf_", "half", "blur"]
        );
        for name in [
            "size-t",
            "uint8_t",
            "void",
            "class",
            "Self",
            "self",
            "unreachable",
            "random",
            "yield",
            "malloc",
            "NULL",
            "unix",
            "read",
        ] {
            assert_eq!(free(name), format!("{}_", word(name)), "{name}");
        }
        assert_eq!(function("width", |name| ["width", "width_"].contains(&name)), "width__");
    }

    #[test]
    fn words_of_different_names_are_different() {
        let words = |names: &[&str], endings: &[&str]| super::words(names.iter().copied(), endings);
        assert_eq!(words(&["a", "b-c", "3"], &["_stride"]), ["a", "b_c", "3"]);
        assert_eq!(words(&["x-y", "x_y", "x_y_2"], &[]), ["x_y", "x_y_2", "x_y_2_2"]);
        assert_eq!(words(&["a", "a_stride"], &[]), ["a", "a_stride"]);
        assert_eq!(words(&["a", "a_stride"], &["_stride"]), ["a", "a_stride_2"]);
        assert_eq!(words(&["a-stride", "a"], &["_stride"]), ["a_stride", "a_2"]);
        assert_eq!(words(&["ä", "ö"], &[]), ["_", "__2"]);
    }
}
