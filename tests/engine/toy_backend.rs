//! Adding a class of machines takes a type and a line: a toy that convolves directly, tap by tap.

use kalg::algebra::Rational;
use kalg::backend::option::{OptionSpec, OptionValues};
use kalg::backend::{
    Backend, Builtin, CODE, CheckError, Form, Machine, OptimizeError, Pictures, Ran, Record, Registry,
    Request, RunError, TEXT, Task, Watch,
};
use kalg::picture::{Image, PictureFormat, read_samples, write_samples};
use kalg::report::Answer;
use kalg::syntax::{Diagnostics, Source};
use kalg::term::{denote_linear, read_filter};

const DESCRIPTOR: &str = "(toy (name abacus))";
const FILTER: &str = "(filter f (inputs image) (output out (kernel (1 2 1))))";

struct Toys;

impl Backend for Toys {
    fn head(&self) -> &'static str {
        "toy"
    }
    fn noun(&self) -> &'static str {
        "a toy"
    }
    fn heading(&self) -> &'static str {
        "Toys"
    }
    fn builtin(&self) -> &'static [Builtin] {
        &[("abacus", "abacus.sexp", DESCRIPTOR)]
    }
    fn read(&self, _: &Source) -> Result<Box<dyn Machine>, Diagnostics> {
        Ok(Box::new(Toy))
    }
    fn options(&self, _: Task) -> Vec<OptionSpec> {
        vec![OptionSpec::value("beads", "N", "Toys: how many beads there are")]
    }
    fn forms(&self) -> &'static [Form] {
        &[TEXT, CODE]
    }
}

struct Toy;
type Taps = Vec<([i32; 3], Rational)>;

fn taps(source: &Source) -> Result<Taps, Diagnostics> {
    let filter = denote_linear(&read_filter(source)?)?;
    let kernels = filter.rows().flat_map(|(_, kernels)| kernels);
    Ok(kernels.flat_map(|kernel| kernel.nonzero_taps().collect::<Vec<_>>()).collect())
}

fn listing(taps: &Taps) -> String {
    taps.iter().map(|([x, y, _], k)| format!("add {k} {x} {y}\n")).collect()
}

struct Told(String, Option<Answer>);

impl Record for Told {
    fn text(&self, _: bool) -> String {
        self.0.clone()
    }
    fn emit(&self, form: &str) -> Option<String> {
        (form == CODE.name).then(|| self.0.clone())
    }
    fn verdict(&self) -> Option<Answer> {
        self.1
    }
}

impl Machine for Toy {
    fn name(&self) -> &str {
        "abacus"
    }
    fn class(&self) -> &'static dyn Backend {
        &Toys
    }
    fn accept(&self, _: Task, _: &OptionValues) -> Result<(), String> {
        Ok(())
    }
    fn compile(&self, request: &Request, _: Watch<'_>) -> Result<Box<dyn Record>, OptimizeError> {
        Ok(Box::new(Told(listing(&taps(&request.source)?), None)))
    }
    fn check(&self, request: &Request) -> Result<Box<dyn Record>, CheckError> {
        let against =
            request.against.as_ref().ok_or_else(|| CheckError::Usage("against what?".to_owned()))?;
        let wanted =
            taps(against).map_err(|wrong| CheckError::Source(kalg::backend::Whose::Against, wrong))?;
        let equal = listing(&wanted) == request.source.text();
        Ok(Box::new(Told(String::new(), Some(if equal { Answer::Equal } else { Answer::Different }))))
    }
    fn run(&self, request: &Request, pictures: &dyn Pictures) -> Result<Ran, RunError> {
        let usage = |why: &dyn std::fmt::Display| RunError::Usage(why.to_string());
        let taps = taps(&request.source).map_err(|wrong| RunError::Filter(wrong.into()))?;
        let (_, bytes) = pictures.open(&["image".to_owned()]).map_err(RunError::Usage)?.remove(0);
        let (image, _) = read_samples(&bytes).map_err(|why| usage(&why))?;
        let at = |x: i64, y: i64| image.get(x, y).unwrap_or(0.0);
        let sum = |x: i64, y: i64| -> f64 {
            taps.iter().map(|([dx, dy, _], k)| k.to_f64() * at(x + i64::from(*dx), y - i64::from(*dy))).sum()
        };
        let (width, height) = (image.width(), image.height());
        let places = (0..height as i64).flat_map(|y| (0..width as i64).map(move |x| (x, y)));
        let result = Image::from_pixels(width, height, places.map(|(x, y)| sum(x, y)).collect())
            .expect("a pixel for each place");
        let picture = write_samples(&result, 255, pictures.format()).map_err(|why| usage(&why))?;
        let record = Box::new(Told(String::new(), None));
        Ok(Ran { record, pictures: vec![(pictures.file("out", false), picture)], differs: false })
    }
}

/// One row of three pixels.
struct Row;

impl Pictures for Row {
    fn open(&self, _: &[String]) -> Result<Vec<(String, Vec<u8>)>, String> {
        Ok(vec![("in.pgm".to_owned(), b"P5 3 1 255 \x01\x02\x04".to_vec())])
    }
    fn format(&self) -> PictureFormat {
        PictureFormat::of("out.pgm").expect("a known ending")
    }
    fn file(&self, output: &str, _: bool) -> String {
        format!("{output}.pgm")
    }
}

#[test]
fn a_class_of_ones_own_compiles_checks_and_runs() {
    let registry = Registry::new([Registry::default().backends(), &[&Toys]].concat());
    assert!(registry.names().contains(&"abacus"));
    let machine = registry.describe(&Source::new("d", DESCRIPTOR)).unwrap();
    let filter = || Source::new("f.sexp", FILTER);
    let code = machine.compile(&Request::new(filter()), &|_| {}).unwrap().text(false);
    assert_eq!(code.lines().count(), 3);
    let check = |code: &str| {
        let request = Request { against: Some(filter()), ..Request::new(Source::new("code", code)) };
        machine.check(&request).unwrap().verdict()
    };
    assert_eq!(check(&code), Some(Answer::Equal));
    assert_eq!(check("add 1 0 0\n"), Some(Answer::Different));
    let ran = machine.run(&Request::new(filter()), &Row).unwrap();
    let (image, _) = read_samples(&ran.pictures[0].1).unwrap();
    assert_eq!(image.pixels(), [4.0, 9.0, 10.0]);
}

#[test]
fn foreign_options_are_refused_in_one_place() {
    let registry = Registry::new([Registry::default().backends(), &[&Toys]].concat());
    let (toy, names) = (registry.builtin("abacus").unwrap(), registry.names());
    let other = registry.builtin(names[0]).unwrap();
    let refused = |machine: &dyn Machine, option: &str| {
        let given = OptionValues::default().with(option, ["3"]);
        Registry::refuse_foreign_values(machine, Task::Optimize, &given)
    };
    assert_eq!(refused(&*toy, "beads"), Ok(()));
    let message = "`--isa` does not apply to `abacus`, a toy, which accepts --beads";
    assert_eq!(refused(&*toy, "isa"), Err(message.to_owned()));
    assert!(refused(&*other, "beads").is_err() && refused(&*other, "isa").is_ok());
}
