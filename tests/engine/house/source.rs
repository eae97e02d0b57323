//! Rust sources for the repository's own tests: modules, the paths that they name, functions and words.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::resolve::Destination;

/// A crate, or a few files made up by a test.
#[derive(Clone, Default)]
pub(crate) struct Sources {
    pub(crate) files: Vec<File>,
    pub(crate) modules: Vec<Module>,
    pub(crate) references: Vec<Reference>,
    /// Modules by their path from the root of the crate.
    places: BTreeMap<Vec<String>, usize>,
    /// Modules declared under `#[cfg(test)]`.
    tests: BTreeSet<Vec<String>>,
    /// The meanings of names looked up so far.
    pub(crate) known: RefCell<BTreeMap<(usize, String), Destination>>,
}

/// One file.
#[derive(Clone)]
pub(crate) struct File {
    /// Relative to the root of the repository, with `/`.
    pub(crate) path: String,
    /// The whole text.
    pub(crate) text: String,
    pub(crate) functions: Vec<Function>,
    /// Identifiers and literals of the shipped code, in lower case, with their lines; no comments.
    pub(crate) words: Vec<(String, usize)>,
    /// Macros called in the shipped code, with their lines.
    pub(crate) macros: Vec<(String, usize)>,
}

/// A function, a method, or a provided method of a trait.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// From `fn` to the closing brace.
    pub(crate) lines: usize,
    /// `self` included.
    pub(crate) parameters: usize,
}

/// A module, in a file of its own or inline.
#[derive(Clone)]
pub(crate) struct Module {
    pub(crate) path: Vec<String>,
    pub(crate) file: usize,
    pub(crate) inline: bool,
    pub(crate) children: BTreeMap<String, usize>,
    pub(crate) items: BTreeSet<String>,
    pub(crate) imports: Vec<Import>,
}

/// The name that a `use` imports; all names if `name` is `None`.
#[derive(Clone)]
pub(crate) struct Import {
    pub(crate) name: Option<String>,
    pub(crate) path: Vec<String>,
}

/// A path that a module names: a leaf of a `use` tree, or a path of several segments in an item.
#[derive(Clone)]
pub(crate) struct Reference {
    pub(crate) module: usize,
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
    pub(crate) kind: Kind,
    /// Under `#[cfg(test)]`.
    pub(crate) test: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Inline,
    Import,
    Export,
    GlobImport,
    GlobExport,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

impl Sources {
    /// The library: every file below `src/` except `main.rs`, which is a separate crate.
    pub(crate) fn library() -> Self {
        // Parsed once for all tests.
        static LIBRARY: LazyLock<Mutex<Sources>> = LazyLock::new(|| Mutex::new(Sources::parsed()));
        LIBRARY.lock().expect("no test panics while it reads").clone()
    }

    fn parsed() -> Self {
        let mut found = Vec::new();
        walk(&root().join("src"), &mut found);
        assert!(
            found.len() > 100,
            "found {} files only: is the scan looking in the right place?",
            found.len()
        );
        let texts: Vec<(String, String)> = found.iter().map(|path| read(path)).collect();
        Self::of(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())))
    }

    /// The crate of these files, given by paths `src/…` and texts.
    pub(crate) fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut files: Vec<_> =
            files.into_iter().map(|(path, text)| (module_path(path), path, text)).collect();
        // Parents come before children, because they say which of these are tests.
        files.sort_by_key(|(module, path, _)| (module.len(), *path));
        let mut sources = Self::default();
        sources.module(Vec::new(), 0, false);
        for (file, (module, ..)) in files.iter().enumerate() {
            sources.module(module.clone(), file, false);
        }
        for (file, (module, path, text)) in files.iter().enumerate() {
            sources.read(file, module, path, text);
        }
        sources
    }

    /// The module of a path, created if it does not exist.
    fn module(&mut self, path: Vec<String>, file: usize, inline: bool) -> usize {
        if let Some(known) = self.places.get(&path) {
            return *known;
        }
        let index = self.modules.len();
        let module = Module {
            path: path.clone(),
            file,
            inline,
            children: BTreeMap::new(),
            items: BTreeSet::new(),
            imports: Vec::new(),
        };
        self.modules.push(module);
        self.places.insert(path.clone(), index);
        if let Some((name, parent)) = path.split_last() {
            let parent = self.module(parent.to_vec(), file, inline);
            self.modules[parent].children.insert(name.clone(), index);
        }
        index
    }

    fn read(&mut self, file: usize, module: &[String], path: &str, text: &str) {
        let syntax = syn::parse_file(text).unwrap_or_else(|e| panic!("{path}: {e}"));
        let (functions, words, macros) = Default::default();
        self.files.push(File { path: path.to_owned(), text: text.to_owned(), functions, words, macros });
        let test = (0..=module.len()).any(|end| self.tests.contains(&module[..end]));
        let module = self.places[module];
        let mut reader = Reader { sources: self, file, module, test, foreign: false };
        reader.declare(&syntax.items);
        syntax.items.iter().for_each(|item| reader.visit_item(item));
    }

    /// The module of an existing path.
    pub(crate) fn place(&self, path: &[String]) -> usize {
        self.places[path]
    }

    /// The file of a module.
    pub(crate) fn file(&self, module: usize) -> &File {
        &self.files[self.modules[module].file]
    }
}

/// The module of a file: `src/a/b.rs` and `src/a/b/mod.rs` are `a::b`.
fn module_path(path: &str) -> Vec<String> {
    let inside = path.strip_prefix("src/").and_then(|path| path.strip_suffix(".rs")).expect("a file of src/");
    let mut module: Vec<String> = inside.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod") || inside == "lib" {
        module.pop();
    }
    module
}

fn read(path: &Path) -> (String, String) {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let relative = path.strip_prefix(root()).expect("the walk began at the root");
    (relative.to_string_lossy().replace('\\', "/"), text)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a folder that was just opened lists").path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && path != root().join("src/main.rs") {
            found.push(path);
        }
    }
}

/// Reads one file.
struct Reader<'a> {
    sources: &'a mut Sources,
    file: usize,
    module: usize,
    test: bool,
    /// Whether it is within a path of the standard library, whose names do not count.
    foreign: bool,
}

impl Reader<'_> {
    /// Records the items that a module defines.
    fn declare(&mut self, items: &[syn::Item]) {
        let names = items.iter().filter_map(name).map(|name| name.to_string());
        self.sources.modules[self.module].items.extend(names);
    }

    fn refer(&mut self, path: Vec<String>, span: Span, kind: Kind) {
        let (module, test, line) = (self.module, self.test, span.start().line);
        self.sources.references.push(Reference { module, path, line, kind, test });
    }

    fn word(&mut self, word: &str, span: Span) {
        if !self.test && !self.foreign {
            self.sources.files[self.file].words.push((word.to_lowercase(), span.start().line));
        }
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.fn_token.span.start().line;
        let function = Function {
            name: signature.ident.to_string(),
            line,
            lines: block.brace_token.span.close().end().line + 1 - line,
            parameters: signature.inputs.len(),
        };
        self.sources.files[self.file].functions.push(function);
    }

    /// Continues with `rest`, as test code if the attributes say so.
    fn guarded(&mut self, attributes: &[syn::Attribute], rest: impl FnOnce(&mut Self)) {
        let before = self.test;
        self.test |= is_test(attributes);
        rest(self);
        self.test = before;
    }

    fn import(&mut self, tree: &syn::UseTree, before: &[String], exported: bool) {
        let with = |name: &proc_macro2::Ident| {
            let own = (*name != "self" || before.is_empty()).then(|| name.to_string());
            before.iter().cloned().chain(own).collect::<Vec<String>>()
        };
        let kind = if exported { Kind::Export } else { Kind::Import };
        let (name, path, span, kind) = match tree {
            syn::UseTree::Path(path) => return self.import(&path.tree, &with(&path.ident), exported),
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, before, exported));
            }
            syn::UseTree::Name(name) => {
                (with(&name.ident).last().cloned(), with(&name.ident), name.ident.span(), kind)
            }
            syn::UseTree::Rename(name) => {
                (Some(name.rename.to_string()), with(&name.ident), name.ident.span(), kind)
            }
            syn::UseTree::Glob(glob) => {
                let kind = if exported { Kind::GlobExport } else { Kind::GlobImport };
                (None, before.to_vec(), glob.star_token.span, kind)
            }
        };
        self.sources.modules[self.module].imports.push(Import { name, path: path.clone() });
        self.refer(path, span, kind);
    }

    /// Reads the call of a macro: paths, words and literals, whatever their meaning.
    fn tokens(&mut self, stream: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut start) = (0, Span::call_site());
        for token in stream
            .into_iter()
            .chain([TokenTree::Punct(proc_macro2::Punct::new(';', proc_macro2::Spacing::Alone))])
        {
            match &token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(ident) if colons == 2 && !path.is_empty() => path.push(ident.to_string()),
                _ => {
                    let ended = std::mem::take(&mut path);
                    if ended.len() > 1 {
                        self.refer(ended, start, Kind::Inline);
                    }
                    if let TokenTree::Ident(ident) = &token {
                        (path, start) = (vec![ident.to_string()], ident.span());
                    }
                }
            }
            colons = 0;
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => self.word(&ident.to_string(), ident.span()),
                TokenTree::Literal(literal) => self.word(&literal.to_string(), literal.span()),
                TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let mut path = self.sources.modules[self.module].path.clone();
        path.push(module.ident.to_string());
        if is_test(&module.attrs) {
            self.sources.tests.insert(path.clone());
        }
        let Some((_, items)) = &module.content else { return };
        let inner = self.sources.module(path, self.file, true);
        let outer = std::mem::replace(&mut self.module, inner);
        self.declare(items);
        self.guarded(&module.attrs, |reader| items.iter().for_each(|item| reader.visit_item(item)));
        self.module = outer;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let exported = !matches!(item.vis, syn::Visibility::Inherited);
        let standard =
            |tree: &syn::UseTree| matches!(tree, syn::UseTree::Path(path) if is_standard(&path.ident));
        self.guarded(&item.attrs, |reader| {
            reader.import(&item.tree, &[], exported);
            reader.foreign = standard(&item.tree);
            visit::visit_use_tree(reader, &item.tree);
            reader.foreign = false;
        });
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let before = self.foreign;
        self.foreign |= path.segments.first().is_some_and(|first| is_standard(&first.ident));
        if segments.len() > 1 {
            self.refer(segments, path.segments[0].ident.span(), Kind::Inline);
        }
        visit::visit_path(self, path);
        self.foreign = before;
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let (false, Some(last)) = (self.test, call.path.segments.last()) {
            let place = (last.ident.to_string(), last.ident.span().start().line);
            self.sources.files[self.file].macros.push(place);
        }
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
        self.word(&ident.to_string(), ident.span());
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.word(&text.value(), text.span());
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        self.guarded(&item.attrs, |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        self.guarded(&item.attrs, |reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.guarded(&item.attrs, |reader| visit::visit_item_impl(reader, item));
    }
}

fn is_standard(name: &proc_macro2::Ident) -> bool {
    name == "std" || name == "core"
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        matches!(&attribute.meta, syn::Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}

/// The name of an item in its module; modules and imports are recorded separately.
fn name(item: &syn::Item) -> Option<&proc_macro2::Ident> {
    match item {
        syn::Item::Const(item) => Some(&item.ident),
        syn::Item::Enum(item) => Some(&item.ident),
        syn::Item::Fn(item) => Some(&item.sig.ident),
        syn::Item::Macro(item) => item.ident.as_ref(),
        syn::Item::Static(item) => Some(&item.ident),
        syn::Item::Struct(item) => Some(&item.ident),
        syn::Item::Trait(item) => Some(&item.ident),
        syn::Item::TraitAlias(item) => Some(&item.ident),
        syn::Item::Type(item) => Some(&item.ident),
        syn::Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}
