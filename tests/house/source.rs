//! Rust source as the repository's own tests see it: code without comments, strings apart, paths, words.

use std::fs;
use std::path::{Path, PathBuf};

/// One file under `src/`.
pub(crate) struct SourceFile {
    /// Relative to the root of the repository, with `/`.
    pub(crate) path: String,
    /// As it stands.
    pub(crate) text: String,
    /// The text without comments; literals keep their content.
    pub(crate) code: String,
    /// The text without comments and with empty literals.
    pub(crate) bare: String,
}

impl SourceFile {
    fn read(root: &Path, path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let relative = path.strip_prefix(root).expect("the walk began at the root");
        let (code, bare) = strip(&text);
        Self { path: relative.to_string_lossy().replace('\\', "/"), text, code, bare }
    }

    /// The layer that the file belongs to; `None` for `lib.rs` and `main.rs`.
    pub(crate) fn layer(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        let first = inside.split('/').next()?;
        let name = first.strip_suffix(".rs").unwrap_or(first);
        (!matches!(name, "lib" | "main")).then_some(name)
    }

    /// Whether `crate` is one `super` away: `src/name.rs` and `src/name/mod.rs`.
    pub(crate) fn is_layer_root(&self) -> bool {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        !inside.contains('/') || inside.matches('/').count() == 1 && inside.ends_with("/mod.rs")
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `src/`, in the order of its path.
pub(crate) fn all() -> Vec<SourceFile> {
    let root = root();
    let mut found = Vec::new();
    walk(&root.join("src"), &mut found);
    found.sort();
    assert!(found.len() > 10, "found {} files only: is the scan looking in the right place?", found.len());
    found.iter().map(|path| SourceFile::read(&root, path)).collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a folder that was just opened lists").path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The text without comments, once with literals and once with empty ones. Line breaks stay where they are.
fn strip(text: &str) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let (mut code, mut bare) = (String::new(), String::new());
    let mut at = 0;
    while at < chars.len() {
        let (end, kind) = token(&chars, at);
        let piece: String = chars[at..end].iter().collect();
        let breaks = "\n".repeat(piece.matches('\n').count());
        match kind {
            Token::Comment => {
                code.push_str(&breaks);
                bare.push_str(&breaks);
            }
            Token::Literal => {
                code.push_str(&piece);
                bare.push_str("\"\"");
                bare.push_str(&breaks);
            }
            Token::Code => {
                code.push_str(&piece);
                bare.push_str(&piece);
            }
        }
        at = end;
    }
    (code, bare)
}

enum Token {
    Comment,
    Literal,
    Code,
}

/// Where the token that begins at `at` ends, and what it is. Code comes one identifier or character at a time.
fn token(chars: &[char], at: usize) -> (usize, Token) {
    let look = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
    match (look(0), look(1)) {
        ('/', '/') => (position(chars, at, |c| c == '\n'), Token::Comment),
        ('/', '*') => (block_comment_end(chars, at), Token::Comment),
        ('"', _) => (string_end(chars, at + 1), Token::Literal),
        ('\'', '\\') => (position(chars, at + 3, |c| c == '\'') + 1, Token::Literal),
        ('\'', _) if look(2) == '\'' => (at + 3, Token::Literal),
        (c, _) if c.is_alphanumeric() || c == '_' => {
            let end = position(chars, at, |c| !c.is_alphanumeric() && c != '_');
            let raw = matches!(chars[at..end], ['r'] | ['b', 'r']);
            let hashes = chars[end..].iter().take_while(|c| **c == '#').count();
            if raw && chars.get(end + hashes) == Some(&'"') {
                return (raw_string_end(chars, end + hashes + 1, hashes), Token::Literal);
            }
            (end, Token::Code)
        }
        _ => (at + 1, Token::Code),
    }
}

fn position(chars: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    (from..chars.len()).find(|i| stop(chars[*i])).unwrap_or(chars.len())
}

fn block_comment_end(chars: &[char], from: usize) -> usize {
    let mut depth = 0;
    let mut at = from;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => (depth, at) = (depth + 1, at + 2),
            ('*', '/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], from: usize) -> usize {
    let mut at = from;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

fn raw_string_end(chars: &[char], from: usize, hashes: usize) -> usize {
    (from..chars.len())
        .find(|i| chars[*i] == '"' && chars[i + 1..].iter().take_while(|c| **c == '#').count() >= hashes)
        .map_or(chars.len(), |i| i + 1 + hashes)
}

/// The code before the first `#[cfg(test)]` module of a file: what ships.
pub(crate) fn shipped(file: &SourceFile) -> &str {
    if file.path.ends_with("/tests.rs") {
        return "";
    }
    match file.code.find("#[cfg(test)]\nmod ") {
        Some(end) => &file.code[..end],
        None => &file.code,
    }
}

/// Whether `text` holds `word` with no letter or digit on either side.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let open = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word)
        .any(|(i, _)| open(text[..i].chars().next_back()) && open(text[i + word.len()..].chars().next()))
}

/// The first segments of every path that begins with `prefix` (`crate::`, `super::`), groups included.
pub(crate) fn first_segments(bare: &str, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (i, _) in bare.match_indices(prefix) {
        let before = bare[..i].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &bare[i + prefix.len()..];
        match rest.trim_start().strip_prefix('{') {
            Some(group) => found.extend(group_heads(group)),
            None => found.push(head(rest)),
        }
    }
    found
}

/// The first identifier, `*` or `self` of `text`.
fn head(text: &str) -> String {
    let text = text.trim_start();
    if text.starts_with('*') {
        return "*".to_owned();
    }
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The heads of the items at the outer level of a brace group.
fn group_heads(group: &str) -> Vec<String> {
    let (mut depth, mut start, mut heads) = (0, 0, Vec::new());
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                heads.push(head(&group[start..i]));
                start = i + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    heads.retain(|h| !h.is_empty());
    heads
}
