//! The command that checks emitted code: what it must be told of the layout of the images.

use super::input::Given;
use crate::backend::vector::machine::{Contract, Indexed, Purpose, Term};

/// The command that checks the code of this contract against the kernel file that it was compiled from, for the head of the code. `None`
/// if no kernel file says what it computes, or if `kalg check` has no options for its layouts.
pub(super) fn check_command(target: &str, contract: &Contract, given: &Given) -> Option<String> {
    let [width, height, 1, _] = given.workload.output else { return None };
    let image =
        |purpose: Purpose| contract.buffer(purpose).and_then(|b| Some((b.name.as_str(), b.layout.as_ref()?)));
    let (input, read) = image(Purpose::Input)?;
    let (output, written) = image(Purpose::Output)?;
    let mut command = format!("kalg check CODE --target {target} --against FILTER --tile {width}x{height}");
    for (option, pitch) in [("pitch", read.pitch), ("output-pitch", written.pitch)] {
        if let Some(pitch) = pitch {
            command += &format!(" --{option} {pitch}");
        }
    }
    command += &places(["input", "inputs"], input, read, &given.inputs)?;
    command +=
        &places(["output-register", "outputs"], output, written, given.outputs.iter().map(|(name, _)| name))?;
    Some(command)
}

/// The option that names the first element of each image in an array.
fn places<'a>(
    [one, several]: [&str; 2],
    array: &str,
    layout: &Indexed,
    names: impl IntoIterator<Item = &'a String>,
) -> Option<String> {
    let is_plain = |coordinate: &str| {
        let mut along = layout.terms.iter().filter(|term| term.coordinate == coordinate);
        let whole = |term: &Term| term.divisor == 1 && (coordinate != "x" || term.stride == 1);
        along.next().is_none_or(whole) && along.next().is_none()
    };
    if !["x", "y", "c", "k"].into_iter().all(is_plain) {
        return None;
    }
    let place = |channel: usize| match layout.first + channel * layout.channel.unwrap_or(0) {
        0 => array.to_owned(),
        first => format!("{array}+{first}"),
    };
    let names: Vec<&String> = names.into_iter().collect();
    match names[..] {
        [] => None,
        [_] => Some(format!(" --{one} {}", place(0))),
        _ if names.iter().any(|name| name.contains(['=', ','])) => None,
        _ => {
            let named = names.iter().enumerate().map(|(channel, name)| format!("{name}={}", place(channel)));
            Some(format!(" --{several}={}", quoted(&named.collect::<Vec<_>>().join(","))))
        }
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=,.:/@".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_is_quoted() {
        assert_eq!(quoted("gx=out,-y=out+16"), "gx=out,-y=out+16");
        assert_eq!(quoted("$x=in,o'=in+8"), r"'$x=in,o'\''=in+8'");
    }
}
