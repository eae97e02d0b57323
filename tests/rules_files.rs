//! Rule files: what is read, and what is said of files that are wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use kalg::rule::{Action, Rule, RuleSet};
use kalg::syntax::Source;

fn read(files: &[(&str, &str)]) -> Result<RuleSet, String> {
    let sources = files.iter().map(|(name, text)| Source::new(*name, *text)).collect();
    RuleSet::from_dir(sources).map_err(|errors| errors.render(false))
}

fn error(text: &str) -> String {
    match read(&[("my.rules", text)]) {
        Ok(_) => panic!("this was read: {text}"),
        Err(message) => message,
    }
}

#[test]
fn the_embedded_files_are_those_of_the_folder() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rules"))
        .map(|path| format!("rules/{}", path.file_name().unwrap().to_string_lossy()))
        .collect();
    names.sort();
    let sources = RuleSet::builtin_sources();
    assert_eq!(sources.iter().map(Source::name).collect::<Vec<_>>(), names);
    for source in &sources {
        let text = std::fs::read_to_string(folder.parent().unwrap().join(source.name())).unwrap();
        assert_eq!(source.text(), text, "{} is embedded in an old version", source.name());
    }
}

#[test]
fn every_proposer_is_switched_on_and_every_rule_says_what_it_does() {
    let rules = match RuleSet::from_dir(RuleSet::builtin_sources()) {
        Ok(rules) => rules,
        Err(errors) => panic!("{errors}"),
    };
    let switched: Vec<&str> = rules
        .rules()
        .iter()
        .filter_map(|rule| matches!(rule.action, Action::Propose(_)).then_some(rule.name.as_str()))
        .collect();
    for proposer in kalg::rule::propose::registry() {
        assert!(switched.contains(&proposer.name()), "no rule file names the proposer {}", proposer.name());
    }
    assert!(rules.rules().iter().all(|rule| !rule.doc.is_empty()));
}

#[test]
fn groups_can_be_left_out() {
    let rules = RuleSet::builtin();
    assert_eq!(rules.groups(), ["algebra", "factor", "scale", "share", "split"]);
    let fewer = rules.without_group("factor");
    assert!(!fewer.groups().contains(&"factor"));
    assert!(fewer.rules().len() < rules.rules().len());
}

#[test]
fn no_file_is_an_empty_set() {
    assert!(read(&[]).unwrap().rules().is_empty());
    assert!(read(&[("empty.rules", "; nothing\n")]).unwrap().rules().is_empty());
}

#[test]
fn a_rule_reads_as_it_is_written() {
    let text = "(rule twice (doc \"d\") (group g) (semirings plus-times max-plus) (budget 3)
      (compose (neg ?a) (add ?b ?r...)) => (scale 1/2 (shift 1 -2 (add (compose ?a ?b) ?r... (id))))
      (when (fewer-taps ?a ?b) (single-tap ?b)))";
    let rules = read(&[("my.rules", text)]).unwrap();
    let Rule { name, doc, group, semirings, budget, action } = &rules.rules()[0];
    assert_eq!((name.as_str(), doc.as_str(), group.as_str(), *budget), ("twice", "d", "g", 3));
    assert_eq!(semirings, &["plus-times", "max-plus"]);
    let Action::Rewrite(rewrite) = action else { panic!("not a rewrite") };
    assert_eq!(rewrite.lhs.print(&rewrite.variables), "(compose (neg ?a) (add ?b ?r...))");
    let rhs = "(scale 1/2 (shift 1 -2 (add (compose ?a ?b) (id) ?r...)))";
    assert_eq!(rewrite.rhs.print(&rewrite.variables), rhs);
    let conditions: Vec<String> = rewrite.conditions.iter().map(|c| c.print(&rewrite.variables)).collect();
    assert_eq!(conditions, ["(fewer-taps ?a ?b)", "(single-tap ?b)"]);
    assert_eq!(
        read(&[("plain.rules", "(rule r (compose ?a ?b) => (compose ?b ?a))")]).unwrap().groups(),
        ["plain"]
    );
}

#[test]
fn a_proposer_reads_as_it_is_written() {
    let text = "(proposer rows (budget 3) (max-taps 20) (max-side 7) (max-depth 2) (max-among 0))";
    let rules = read(&[("my.rules", text)]).unwrap();
    let Action::Propose(propose) = &rules.rules()[0].action else { panic!("not a proposer") };
    assert_eq!(
        (propose.bounds.max_taps, propose.bounds.max_side, propose.bounds.max_depth),
        (Some(20), Some(7), Some(2))
    );
    assert_eq!((propose.bounds.max_among, rules.rules()[0].budget), (0, 3));
    assert!(!rules.rules()[0].doc.is_empty(), "the proposer's own text stands in");
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_once() {
    insta::assert_snapshot!(error(
        "(rule one (compose ?a ?b) => (compose ?b ?c))
(rule two (group g) (group h) (plus ?a ?b) => ?a)
(rule three (add ?a ?rest...) => (add ?a ?rest) (when (fewer-tap ?a ?x)))
(proposer seperable (budget many))
(proposer rows (max-tap 3))
(rules four)"
    ));
}

#[test]
fn what_cannot_be_matched_is_refused() {
    insta::assert_snapshot!(error(
        "(rule free (shift 1 0 (neg ?a)) => ?a)
(rule subsets (add ?x... ?y...) => (add (add ?x...) (add ?y...)))
(rule many (add ?a ?b ?c ?d ?r...) => (add ?r... ?a ?b ?c ?d))
(rule alone (compose ?a ?r...) => ?a)
(rule again (add (compose ?a (add ?r...)) ?r...) => ?a)
(rule zero (compose ?a ?b) => (scale 0 ?a))
(rule when (compose ?a (add ?b ?r...)) => ?a (when (single-tap ?r...) (single-tap ?c)))"
    ));
}

#[test]
fn rules_without_shape_are_refused() {
    insta::assert_snapshot!(error(
        "(rule)
(rule a (compose ?a ?b) (compose ?b ?a))
(rule b => ?a (group x))
(rule c (compose ?a) => a)
(rule d (compose ?a ?b) => (compose ?a ?a...) (semirings min-plsu))
(rule e (scale two ?a) => (shift 1 ?a))"
    ));
}

#[test]
fn a_name_is_taken_once_over_all_files() {
    let rule = "(rule swap (compose ?a ?b) => (compose ?b ?a))";
    let twice = format!("{rule}\n{rule}");
    let errors = read(&[("one.rules", rule), ("two.rules", &twice)]).err().unwrap();
    insta::assert_snapshot!(errors);
}
