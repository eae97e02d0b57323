//! The tasks: compile, check, run.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use kalg::backend::option::Accepts;
use kalg::cli::with_includes;
use kalg::compiler::{run_pipeline, thread_pool};
use kalg::machine::{HTML, Pictures, TEXT, Task};
use kalg::picture::PictureFormat;
use kalg::pipeline::{is_pipeline, read_pipeline};
use kalg::{Compiler, Error, Report, Source, Target};
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::raise::{raised, refused};
use crate::settings::Settings;
use crate::wait::{Line, wait};

/// An input.
#[derive(FromPyObject)]
pub(crate) enum Input {
    /// Its name and its text.
    Alone(String, String),
    /// Its name and its text; the names and texts of the files that it includes; and which of them the directives at some offsets
    /// include, as `included` gives it.
    Including(String, String, Vec<(String, String)>, Vec<(usize, usize)>),
}

/// A report in all its forms; its cost, whether that is proved to be the least, why there is no program, and warnings.
type Reported = (BTreeMap<String, String>, Option<f64>, bool, Option<String>, Vec<String>);

/// Does a task with settings from JSON.
pub(crate) fn task<T: Send + 'static>(
    py: Python<'_>,
    settings: &str,
    watch: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Settings, &Line<'_>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let settings = Settings::of(settings).map_err(|error| refused(py, &error))?;
    wait(py, watch, Arc::default(), move |line| work(&settings, line))?.map_err(|error| raised(py, &error))
}

/// The source that an input is. Files beyond the maximum size are left out, as `included` has left them out.
pub(crate) fn source(input: Input) -> Source {
    let (name, text, files, directives) = match input {
        Input::Alone(name, text) => return Source::new(name, text),
        Input::Including(name, text, files, directives) => (name, text, files, directives),
    };
    let mut source = Source::new(name, text);
    for (name, text) in files {
        if source.include(name, &text).is_err() {
            break;
        }
    }
    let files = source.files().len();
    for (offset, file) in directives.into_iter().filter(|(_, file)| *file < files) {
        source.set_included(offset, file);
    }
    source
}

/// Files that a source includes: their names and texts, which directives include them, and why others are not read.
type IncludedFiles = (Vec<(String, String)>, Vec<(usize, usize)>, Vec<String>);

/// Reads the files that a source includes: those beside it, and those below some folders.
#[pyfunction]
pub(crate) fn included(
    py: Python<'_>,
    path: String,
    text: String,
    folders: Vec<PathBuf>,
) -> PyResult<IncludedFiles> {
    let mut warnings = Vec::new();
    let own = Source::new(path.as_str(), text);
    let whole = with_includes(own, Path::new(&path), &folders, &mut |why| warnings.push(why));
    let whole =
        whole.map_err(|error| refused(py, &format!("cannot read what `{path}` includes: {error}")))?;
    let of = |place: &Range<usize>| {
        (whole.name_at(place.start).to_owned(), whole.text()[place.clone()].to_owned())
    };
    Ok((whole.files().iter().skip(1).map(of).collect(), whole.directives().collect(), warnings))
}

/// Whether an input is a pipeline.
#[pyfunction]
pub(crate) fn holds_pipeline(input: Input) -> bool {
    is_pipeline(&source(input))
}

/// The built-in targets, each with the names of the options for each task, of those that are flags, and of the forms of results.
#[pyfunction]
pub(crate) fn names() -> Vec<(String, BTreeMap<String, Vec<String>>)> {
    let of = |name: &'static str| {
        let target = Target::builtin(name).expect("a name of the list");
        let class = target.machine().class();
        let options = |task| class.options(task).iter().map(|option| option.name.to_owned()).collect();
        let forms = class.forms().iter().map(|form| form.name.to_owned()).collect();
        let all_tasks = [Task::Optimize, Task::Check, Task::Run].into_iter();
        let flags = all_tasks.flat_map(|task| class.options(task));
        let flags = flags.filter(|option| matches!(option.accepts, Accepts::Flag));
        let flags = flags.map(|option| option.name.to_owned()).collect();
        let tasks = [("optimize", Task::Optimize), ("check", Task::Check), ("run", Task::Run)];
        let mut all: BTreeMap<String, Vec<String>> =
            tasks.into_iter().map(|(name, task)| (name.to_owned(), options(task))).collect();
        all.insert("forms".to_owned(), forms);
        all.insert("flags".to_owned(), flags);
        (name.to_owned(), all)
    };
    Target::names().into_iter().map(of).collect()
}

/// Compiles a kernel file, a program or a pipeline.
#[pyfunction]
#[pyo3(signature = (input, settings, watch = None))]
pub(crate) fn optimize(
    py: Python<'_>,
    input: Input,
    settings: &str,
    watch: Option<&Bound<'_, PyAny>>,
) -> PyResult<Reported> {
    task(py, settings, watch, |settings, line| {
        let report = settings.compiler(Task::Optimize, line)?.attempt(&source(input), line.watch)?;
        let machine = settings.target()?;
        let forms = machine.machine().class().forms().iter().filter(|form| !form.recorded);
        let names: Vec<&str> = forms.map(|form| form.name).collect();
        Ok(reported(&report, &names))
    })
}

/// What the filters of a batch have in common: their settings, read once, and a compiler that shares results.
#[pyclass(frozen)]
pub(crate) struct Shared(Arc<Common>);

struct Common {
    settings: Settings,
    compiler: Compiler,
    /// Set when nobody waits for lines any more.
    stop: Arc<AtomicBool>,
    /// The threads of lines that are done. Memory that a thread gave back is found again by this thread: a search on a new one
    /// takes a quarter longer.
    idle: Mutex<Vec<ThreadPool>>,
}

impl Common {
    /// Does the work of a line on threads of its own, which the next line takes over.
    fn pooled<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let pool = known.map_or_else(|| thread_pool(self.settings.threads()), Ok)?;
        let result = pool.install(work);
        idle().push(pool);
        Ok(result)
    }
}

#[pymethods]
impl Shared {
    #[new]
    fn new(py: Python<'_>, settings: &str) -> PyResult<Self> {
        let settings = Settings::of(settings).map_err(|error| refused(py, &error))?;
        let compiler = settings.compiler_here(Task::Optimize).map_err(|error| raised(py, &error))?.sharing();
        // What no filter can be compiled with is refused before any is.
        compiler.accept(Task::Optimize).map_err(|error| raised(py, &error))?;
        Ok(Self(Arc::new(Common { settings, compiler, stop: Arc::default(), idle: Mutex::default() })))
    }

    /// Ends the lines that are being made, which are then failures, and all that follow.
    fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    /// Compiles a filter to the line that a batch writes. Makes no other form of the result. Filters that are turned images of each
    /// other are searched for once.
    fn line(&self, py: Python<'_>, input: Input) -> PyResult<String> {
        let common = Arc::clone(&self.0);
        let stop = Arc::clone(&self.0.stop);
        wait(py, None, stop, move |line| {
            let compiler = common.compiler.clone().interrupted_by(line.stop);
            common.pooled(|| Ok(compiler.attempt(&source(input), line.watch)?.to_json()))?
        })?
        .map_err(|error: Error| raised(py, &error))
    }
}

fn reported(report: &Report, names: &[&str]) -> Reported {
    let form = |name: &str| Some((name.to_owned(), report.form(name)?));
    let mut forms: BTreeMap<String, String> = names.iter().filter_map(|name| form(name)).collect();
    forms.insert(TEXT.name.to_owned(), report.to_string());
    forms.insert("verbose".to_owned(), format!("{report:#}"));
    (forms, report.cost(), report.is_optimal(), report.no_program(), report.warnings())
}

/// Checks a program, against a filter or another program if there is one. Returns the report as text, as JSON and
/// as a page, and the certificate.
#[pyfunction]
#[pyo3(signature = (program, against, settings))]
pub(crate) fn check(
    py: Python<'_>,
    program: Input,
    against: Option<Input>,
    settings: &str,
) -> PyResult<(String, String, String, Option<String>)> {
    task(py, settings, None, |settings, line| {
        let against = against.map(source);
        let report = settings.compiler(Task::Check, line)?.review(&source(program), against.as_ref())?;
        let certificate = settings.certificate.then(|| report.form("certificate")).flatten();
        let page = report.form(HTML.name).unwrap_or_default();
        Ok((report.to_string(), report.to_json(), page, certificate))
    })
}

/// Replays a certificate. Returns the findings.
#[pyfunction]
pub(crate) fn replay(py: Python<'_>, certificate: Input, settings: &str) -> PyResult<String> {
    task(py, settings, None, |settings, _| settings.target()?.replay(&source(certificate)))
}

/// The pictures of a run, by the names of inputs, as NumPy writes them.
struct Arrays(Vec<(String, Vec<u8>)>);

impl Pictures for Arrays {
    fn open(&self, inputs: &[String]) -> Result<Vec<(String, Vec<u8>)>, String> {
        let only = inputs.len() == 1 && self.0.len() == 1;
        let of = |input: &String| {
            let found = self.0.iter().find(|(name, _)| name == input || (only && name.is_empty()));
            let (_, bytes) = found.ok_or_else(|| {
                format!("the input `{input}` has no picture; the inputs are {}", inputs.join(", "))
            })?;
            Ok((input.clone(), bytes.clone()))
        };
        if let Some((foreign, _)) =
            self.0.iter().find(|(name, _)| !(inputs.contains(name) || only && name.is_empty()))
        {
            return Err(format!("there is no input `{foreign}`; the inputs are {}", inputs.join(", ")));
        }
        inputs.iter().map(of).collect()
    }

    fn format(&self) -> PictureFormat {
        PictureFormat::Npy
    }

    fn file(&self, output: &str, _several: bool) -> String {
        output.to_owned()
    }
}

/// Text, JSON, results by output, and whether one differs from direct convolution.
type Ran = (String, String, Vec<(String, Vec<u8>)>, bool);

/// Runs a program, a filter or a pipeline on arrays, given and returned as NPY files. A single array needs no name.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    input: Input,
    arrays: Vec<(String, Vec<u8>)>,
    settings: &str,
) -> PyResult<Ran> {
    task(py, settings, None, |settings, line| {
        let (source, arrays) = (source(input), Arrays(arrays));
        let ran = if is_pipeline(&source) {
            let pipeline = read_pipeline(&source).map_err(|wrong| Error::at(&source, &wrong))?;
            run_pipeline(&source, &pipeline, &arrays)?
        } else {
            settings.compiler(Task::Run, line)?.run(&source, &arrays)?
        };
        Ok((ran.report.to_string(), ran.report.to_json(), ran.pictures, ran.differs))
    })
}
