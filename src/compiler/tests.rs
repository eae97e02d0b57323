//! Tests of the library interface.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Compiler, Filter, Target, startable, with_threads};
use crate::algebra::Rational;
use crate::backend::Pictures;
use crate::backend::option::OptionValues;
use crate::picture::PictureFormat;
use crate::report::ErrorKind;
use crate::syntax::Source;

fn row() -> Filter {
    Filter::from_rows("row", [[1, 2, 1]]).unwrap()
}

#[test]
fn a_filter_of_rows_is_what_a_file_with_them_says() {
    let text = "(filter row (inputs image) (output out (kernel (1 2 1))))";
    let filter: Filter = text.parse().unwrap();
    assert_eq!(row().content, filter.content);
    assert_eq!((filter.name(), filter.inputs()), ("row", &["image".to_owned()][..]));
    assert_eq!(filter.outputs().collect::<Vec<_>>(), ["out"]);
    assert!(Filter::from_rows("even", [[1, 1]]).is_err());
    for name in ["a b", "blur (semiring max-plus)", "a;", "\"a\"", "a\n", " a", "", "1", "a)"] {
        let error = Filter::from_rows(name, [[1]]).unwrap_err().to_string();
        assert!(error.contains("names no filter"), "{error}");
    }
    assert!(Filter::from_rows("e", [[i64::MIN]]).unwrap_err().to_string().contains("64-bit"));
    assert_eq!(Filter::from_rows("e", [[Rational::ONE]]).unwrap().name(), "e");
    assert_eq!(Filter::from_rows("e", [[-i64::MAX]]).unwrap().name(), "e");
    assert!(Filter::from_rows("e", [[0; 0]; 0]).is_err() && Filter::from_rows("e", [[0; 0]]).is_err());
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let names = Target::names();
    let mistyped = format!("{}s", names[0]);
    let error = Target::builtin(&mistyped).unwrap_err().to_string();
    assert_eq!(error, format!("there is no target `{mistyped}`; did you mean `{}`?", names[0]));
    let error = "(filter f (output out (kernel (1 x 1))))".parse::<Filter>().unwrap_err();
    assert!(error.to_string().contains("filter:1:34") && error.kind() == ErrorKind::BadInput, "{error}");
    let target = Target::builtin(names[0]).unwrap();
    let error = Compiler::new(&target).option("colour", "red").compile(&row()).unwrap_err();
    assert!(error.to_string().starts_with("`--colour` does not apply to"), "{error}");
    let error = Compiler::new(&target).nodes(1).option("registers", "A").compile(&row()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoProgram, "{error}");
}

#[test]
fn every_target_compiles_to_a_program_with_a_cost_on_any_number_of_threads() {
    // Line-buffered hardware takes pipelines only.
    let registry = crate::backend::Registry::default();
    let takes_filters = |name: &&str| registry.builtin(name).unwrap().class().head() != "stream-hardware";
    for name in Target::names().into_iter().filter(takes_filters) {
        let compiler = Compiler::new(&Target::builtin(name).unwrap()).nodes(5);
        let [one, two] = [1, 2].map(|threads| compiler.clone().threads(threads).compile(&row()).unwrap());
        assert!(one.cost() > 0.0 && !one.code().is_empty() && one.report().to_json().starts_with('{'));
        assert_eq!(one.code(), two.code());
        let [short, long] = [format!("{}", one.report()), format!("{:#}", one.report())];
        assert!(short.len() < long.len() && short.contains(&one.cost().to_string()), "{short}");
    }
}

#[test]
fn threads_are_started_as_far_as_they_help() {
    let started = with_threads(100_000, rayon::current_num_threads).unwrap();
    assert!(started == startable(usize::MAX) && started < 100_000, "{started}");
    assert_eq!(with_threads(1, rayon::current_num_threads).unwrap(), 1);
    assert!(with_threads(0, || ()).unwrap_err().to_string().contains("at least one"));
}

#[test]
fn what_is_shared_was_found_with_the_same_settings() {
    let sobel = Filter::from_rows("sobel-x", [[1, 0, -1], [2, 0, -2], [1, 0, -1]]).unwrap();
    let compiler = |target: &str| Compiler::new(&Target::builtin(target).unwrap()).nodes(20);
    let shared = compiler("scamp5").sharing();
    let code = |compiler: &Compiler| compiler.compile(&sobel).unwrap().code();
    assert_eq!(code(&shared), code(&compiler("scamp5")));
    assert_eq!(code(&shared.clone()), code(&shared));
    for (option, value) in [("registers", "C,D,E,F"), ("isa", "macro"), ("outputs", "out=C")] {
        let [one, other] = [&shared, &compiler("scamp5")].map(|it| it.clone().option(option, value));
        assert_eq!(code(&one), code(&other), "{option}");
        assert_ne!(code(&one), code(&shared), "{option}");
    }
}

#[test]
fn any_time_limit_goes_with_any_clock() {
    let row = row();
    let back = AtomicU64::new(1 << 40);
    let back = move || Duration::from_secs(back.fetch_sub(1, Ordering::Relaxed));
    for compiler in ["ops", "scamp5"].map(|name| Compiler::new(&Target::builtin(name).unwrap()).nodes(5)) {
        for now in [Duration::ZERO, Duration::MAX - Duration::from_secs(9)] {
            assert!(compiler.clone().time(Duration::MAX, move || now).compile(&row).is_ok(), "{now:?}");
        }
    }
    let scamp5 = Compiler::new(&Target::builtin("scamp5").unwrap()).nodes(5);
    assert!(scamp5.clock(back).compile(&row).is_ok());
}

/// As many pictures as it says, whatever the inputs.
struct Number(usize);

impl Pictures for Number {
    fn open(&self, _inputs: &[String]) -> Result<Vec<(String, Vec<u8>)>, String> {
        Ok(vec![("a.pgm".to_owned(), b"P5 1 1 255\n\x07".to_vec()); self.0])
    }

    fn format(&self) -> PictureFormat {
        PictureFormat::Npy
    }

    fn file(&self, output: &str, _several: bool) -> String {
        output.to_owned()
    }
}

#[test]
fn runs_need_one_picture_of_each_input() {
    let program = Source::new("p.cpp", "bus(B, A);");
    for (target, source) in [("scamp5", &program), ("ops", &row().source)] {
        let compiler = Compiler::new(&Target::builtin(target).unwrap());
        for number in [0, 2] {
            let error = compiler.run(source, &Number(number)).unwrap_err().to_string();
            assert_eq!(error, format!("expected 1 picture, of image; {number} were opened"));
        }
    }
}

#[test]
fn what_is_no_option_of_any_task_and_what_an_option_does_not_take_is_refused() {
    let program = Source::new("p.cpp", "bus(B, A);");
    let error = |target: &str, option: (&str, &str)| {
        let compiler = Compiler::new(&Target::builtin(target).unwrap()).nodes(5).option(option.0, option.1);
        compiler.compile(&row()).unwrap_err().to_string()
    };
    for (target, option, why) in [
        ("aie", ("banks", "idael"), "expected modelled or ideal"),
        ("scamp5", ("keep-input", "banana"), "`--keep-input` is a flag"),
        ("scamp5", ("depth", "x"), "invalid value `x` for `--depth`: expected a whole number"),
        ("ops", ("border", "x"), "invalid value `x` for `--border`: expected "),
        ("ops", ("nodes", "5"), "`Compiler::nodes` sets it"),
        ("ops", ("isa", "bus"), "`--isa` does not apply to `ops`"),
    ] {
        let error = error(target, option);
        assert!(error.contains(why), "{error}");
    }
    for target in ["ops", "cpu", "aie", "fpga"] {
        let error =
            Compiler::new(&Target::builtin(target).unwrap()).explain(true).compile(&row()).unwrap_err();
        assert!(error.to_string().starts_with("`--explain` does not apply to"), "{error}");
    }
    // Each task heeds its own options.
    let scamp5 = Compiler::new(&Target::builtin("scamp5").unwrap()).nodes(5);
    let both = scamp5.clone().option("isa", "bus").option("lenient", "");
    assert!(both.compile(&row()).is_ok() && both.check(&program, &row()).is_ok());
    let several = scamp5.clone().options(OptionValues::default().with("isa", ["macro", "bus"]));
    assert!(several.compile(&row()).unwrap_err().to_string().contains("takes one value, not 2"));
    let against = scamp5.option("against-block", "1");
    assert!(against.check(&program, &row()).is_ok() && against.review(&program, None).is_err());
}

#[test]
fn options_that_may_occur_several_times_get_one_more_value_by_each_call() {
    let code = Source::new(
        "f.cc",
        "void f(int16 *in, int16 *out) { for (int i = 0; i < N + M; ++i) out[i] = in[i]; }",
    );
    let aie = Compiler::new(&Target::builtin("aie").unwrap());
    let error = |compiler: Compiler| compiler.check(&code, &row()).err().map(|error| error.to_string());
    let with = |compiler: Compiler, name: &str| compiler.option("define", &format!("{name}=1"));
    let [one, both] = [with(aie.clone(), "N"), with(with(aie, "N"), "M")].map(error);
    assert!(one.as_ref().is_some_and(|why| why.contains('M')) && one != both, "{one:?} {both:?}");
}

#[test]
fn reports_have_the_text_as_a_form() {
    for (target, nodes) in [("scamp5", 5), ("ops", 5), ("aie", 2)] {
        let compiled = Compiler::new(&Target::builtin(target).unwrap()).nodes(nodes).compile(&row()).unwrap();
        assert_eq!(compiled.clone().report().form("text"), Some(compiled.report().to_string()));
    }
}

#[test]
fn a_volume_is_refused_where_code_computes_on_planes() {
    let volume: Filter =
        "(filter v (dimensions 3) (inputs a) (output o (shift 0 0 1 (kernel (1 2 1)))))".parse().unwrap();
    let error = Compiler::new(&Target::builtin("aie").unwrap()).compile(&volume).unwrap_err().to_string();
    assert!(error.contains("computes on planes") && error.contains("filter:1:"), "{error}");
}
