//! Rule files: their contents, and the messages about wrong ones.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use kalg::rule::{Action, Rule, RuleSet};
use kalg::syntax::Source;

fn read(files: &[(&str, &str)]) -> Result<RuleSet, String> {
    let sources = files.iter().map(|(name, text)| Source::new(*name, *text)).collect();
    RuleSet::from_sources(sources).map_err(|errors| errors.render(false))
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
        .map(|path| format!("kalg:rules/{}", path.file_name().unwrap().to_string_lossy()))
        .collect();
    names.sort();
    let sources = RuleSet::builtin_sources();
    assert_eq!(sources.iter().map(Source::name).collect::<Vec<_>>(), names);
    for source in &sources {
        let path = source.name().strip_prefix("kalg:").unwrap();
        let text = std::fs::read_to_string(folder.parent().unwrap().join(path)).unwrap();
        assert_eq!(source.text(), text, "{} is embedded in an old version", source.name());
    }
}

#[test]
fn every_proposer_is_switched_on_and_every_rule_says_what_it_does() {
    let rules = match RuleSet::from_sources(RuleSet::builtin_sources()) {
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
fn the_default_file_names_every_file() {
    let all = RuleSet::from_sources(RuleSet::builtin_sources()).unwrap_or_else(|errors| panic!("{errors}"));
    let names = |rules: &RuleSet| rules.rules().iter().map(|rule| rule.name.clone()).collect::<BTreeSet<_>>();
    assert_eq!(names(&RuleSet::builtin()), names(&all));
}

#[test]
fn groups_can_be_left_out() {
    let rules = RuleSet::builtin();
    let groups = [
        "scan", "algebra", "factor", "scale", "share", "split", "cover", "quotient", "peephole", "idle",
        "choice", "rounding",
    ];
    assert_eq!(rules.groups(), groups);
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
    let Rule { name, doc, group, semirings, budget, action, .. } = &rules.rules()[0];
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
fn rules_about_outputs_have_a_term_for_each() {
    insta::assert_snapshot!(error(
        "(rule one-side (outputs ?a ?b) => (add ?a ?b))\n\
         (rule fewer (outputs ?a ?b) => (outputs ?a))\n\
         (rule more (outputs ?a ?b) => (outputs ?a ?b ?a))\n\
         (rule unbound (outputs ?a ?b) => (outputs ?b ?c))\n\
         (rule shown (outputs ?a ?b) => (outputs ?b ?a) (example (kernel (1)) => (kernel (2))))\n\
         (rule twice (outputs (add ?a ?r...) (add ?b ?r...)) => (outputs ?a ?b))\n\
         (rule inside (add (outputs ?a ?b) ?c) => (add ?a ?c))"
    ));
}

#[test]
fn channels_are_no_kernels() {
    insta::assert_snapshot!(error(
        "(rule as-kernel (from ?c ?k) => ?c)\n\
         (rule as-channel (from ?c ?k) => (from ?k ?k))\n\
         (rule by-name (from red ?k) => ?k)\n\
         (rule asked (from ?c ?k) => (compose ?k (from ?c (id))) (when (single-tap ?c)))\n\
         (rule unbound (compose ?a ?b) => (from ?c ?a))"
    ));
    let rule = "(rule read (from ?c ?k) => (add (from ?c ?k) (from ?c (id))))";
    let rules = read(&[("my.rules", rule)]).unwrap();
    assert_eq!(rules.rules()[0].action.print().unwrap(), &rule["(rule read ".len()..rule.len() - 1]);
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

#[test]
fn both_directions_are_two_rules() {
    let text = "(rule swap (doc \"d\") (compose ?a (add ?b ?r...)) <=> (compose (add ?b ?r...) ?a) (when (one-channel ?a)))";
    let rules = read(&[("my.rules", text)]).unwrap();
    let names: Vec<&str> = rules.rules().iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["swap", "swap-reversed"]);
    assert_eq!(
        rules.rules()[1].action.print().unwrap(),
        "(compose (add ?b ?r...) ?a) => (compose ?a (add ?b ?r...)) (when (one-channel ?a))"
    );
}

#[test]
fn numbers_are_bound_and_computed() {
    let text = "(rule halve (add (scale ?c ?a) ?r...) => (add (scale (eval (/ ?c 2)) ?a) (scale (eval (/ ?c 2)) ?a) ?r...)
      (when (divisible ?c 2) (less ?c 9) (different ?c (eval (* 2 3)))))";
    let rules = read(&[("my.rules", text)]).unwrap();
    assert_eq!(
        rules.rules()[0].action.print().unwrap(),
        "(add (scale ?c ?a) ?r...) => (add (scale (eval (/ ?c 2)) ?a) (scale (eval (/ ?c 2)) ?a) ?r...) \
         (when (divisible ?c 2) (less ?c 9) (different ?c (eval (* 2 3))))"
    );
}

#[test]
fn rules_may_be_for_a_target_and_have_a_priority() {
    let text = "(rule late (compose ?a ?b) => (compose ?b ?a))
      (rule early (priority 2) (targets some-machine) (semirings max-plus) (add ?a ?b) => (add ?b ?a))";
    let rules = read(&[("my.rules", text)]).unwrap();
    let names = |rules: &RuleSet| rules.rules().iter().map(|rule| rule.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&rules), ["early", "late"]);
    assert_eq!((rules.rules()[0].priority, rules.rules()[0].semirings[0].as_str()), (2, "max-plus"));
    assert_eq!(names(&rules.for_target("another")), ["late"]);
    assert_eq!(names(&rules.for_target("some-machine")), ["early", "late"]);
}

#[test]
fn files_include_others_once_and_in_their_place() {
    let rule = |name: &str| format!("(rule {name} (compose ?a ?b) => (compose ?b ?a))");
    let main = format!("{}(include \"sub/b.rules\"){}", rule("one"), rule("two"));
    let b = format!("(include \"c.rules\"){}", rule("three"));
    let c = format!("(include \"./b.rules\")(include \"gone/main.rules\"){}", rule("four"));
    let open = |_: &str, name: &str| match name {
        "dir/sub/b.rules" => Ok(Source::new(name, b.clone())),
        "dir/sub/c.rules" => Ok(Source::new(name, c.clone())),
        _ => Err("no such file; there are dir/main.rules".to_owned()),
    };
    let error = RuleSet::from_files(vec![Source::new("dir/main.rules", main.clone())], &open).err().unwrap();
    assert!(error.render(false).contains("cannot include `dir/sub/gone/main.rules`"), "{error}");
    let c = c.replace("(include \"gone/main.rules\")", "");
    let open = |from: &str, name: &str| match name {
        "dir/sub/b.rules" if from == "dir/main.rules" => Ok(Source::new(name, b.clone())),
        "dir/sub/c.rules" => Ok(Source::new(name, c.clone())),
        _ => Err("no such file".to_owned()),
    };
    let rules = RuleSet::from_files(vec![Source::new("dir/main.rules", main)], &open).unwrap();
    let names: Vec<&str> = rules.rules().iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["one", "four", "three", "two"]);
    assert_eq!(rules.rules()[1].place, "dir/sub/c.rules:1:22");
}

#[test]
fn no_file_and_no_proposer_is_left_out_for_its_name() {
    let rule = |name: &str| {
        format!("(rule {name} (compose ?a (add ?b ?c)) => (add (compose ?a ?b) (compose ?a ?c)))")
    };
    let names = |files: &[(&str, &str)]| -> Result<Vec<String>, String> {
        Ok(read(files)?.rules().iter().map(|rule| rule.name.clone()).collect())
    };
    let [one, two] = ["one", "two"].map(rule);
    assert_eq!(names(&[("a", &one), ("a", &two), ("a", &one)]), Ok(vec!["one".to_owned(), "two".to_owned()]));
    assert!(names(&[("a", &one), ("a", "(((")]).unwrap_err().contains("a:1:3"));
    let (file, mine) = (vec![Source::new("m.rules", "(proposer separable)")], kalg::rule::propose::registry);
    let proposers: Vec<_> = mine().into_iter().chain(mine()).map(std::sync::Arc::from).collect();
    let errors = RuleSet::with_proposers(file, &proposers).err().unwrap().to_string();
    assert!(errors.contains("there are two proposers `separable`") && !errors.ends_with('\n'), "{errors}");
}

#[test]
fn files_include_nothing_outside_their_folder() {
    for path in ["/etc/passwd", "../main.rules", "sub/../../main.rules"] {
        let open = |_: &str, name: &str| panic!("{name} is opened");
        let main = Source::new("dir/main.rules", format!("\n(include \"{path}\")"));
        let error = RuleSet::from_files(vec![main], &open).err().unwrap().render(false);
        let says = format!("\"{path}\" does not name a file below the folder of this file");
        assert!(error.contains(&says) && error.contains("dir/main.rules:2:10"), "{error}");
    }
}

#[test]
fn phases_are_read() {
    let text = "(rule swap (group g) (compose ?a ?b) => (compose ?b ?a))
      (phase first (groups g) (iterations 2) (nodes 30) (classes 40)) (phase second (groups g))";
    let rules = read(&[("my.rules", text)]).unwrap();
    let [first, second] = rules.phases() else { panic!("two phases") };
    assert_eq!((first.name.as_str(), first.groups.as_slice()), ("first", &["g".to_owned()][..]));
    assert_eq!((first.iterations, first.nodes, first.classes), (Some(2), Some(30), Some(40)));
    assert_eq!((second.iterations, second.nodes, second.classes), (None, None, None));
}

#[test]
fn mistakes_in_the_newer_clauses_have_their_messages() {
    insta::assert_snapshot!(error(
        "(rule one (compose ?a ?b) -> (compose ?b ?a))
(rule two (scale (eval (/ ?c 2)) ?a) => ?a (when (singel-tap ?a)))
(rule three (add (scale ?c ?a) ?b) => (scale (/ ?c 2) (add ?a ?c)) (when (less ?a 2) (single-tap ?c)))
(rule four (add ?a ?b) => (scale (eval (% ?a 2)) ?b) (example (compose ?x (id)) => (id)) (not (id) (id)))
(rule five (add ?a ?b) <=> ?a)
(rule six (compose ?a (scan wset)) => (compose (scan x) ?a) (back-off 3) (when (taps-at-most ?a)))
(include five)
(phase p (group g) (iterations x))
(rule seven (compose ?a ?b) => (compose ?b ?a) (when (singel-tap ?a)))"
    ));
    insta::assert_snapshot!(error(
        "(rule one (group some) (compose ?a ?b) => (compose ?b ?a))
(phase p (groups sone)) (phase p (groups some))
(include \"other.rules\")"
    ));
}

#[test]
fn what_goes_too_far_to_be_checked_is_refused() {
    let scan = error("(rule far ?k => (compose (scan 300 0) (sub ?k (shift 300 0 ?k))))");
    for place in ["1:32", "1:54"] {
        assert!(scan.contains(&format!("my.rules:{place}")), "{scan}");
    }
    assert_eq!(scan.matches("expected -256 to 256").count(), 2, "{scan}");
}

#[test]
fn only_instructions_store() {
    let stored = error("(rule r (compose (kernel (1 + 1)) ?a) => ?a)");
    assert!(stored.contains("error[stored-outside-instruction]") && stored.contains("1:18"), "{stored}");
}

#[test]
fn names_are_short_and_in_lower_case() {
    let named = |name: &str| error(&format!("(rule {name} (compose ?a ?b) => (compose ?b ?a))"));
    let wrong = named("Foo_Bar");
    assert!(
        wrong.contains("`Foo_Bar` is not a valid rule name") && wrong.contains("such as `foo-bar`"),
        "{wrong}"
    );
    for long in [65, 65_536] {
        assert!(named(&"a".repeat(long)).contains(&format!("a name of {long} characters")));
    }
    assert!(
        read(&[("my.rules", &format!("(rule {} (compose ?a ?b) => (compose ?b ?a))", "a".repeat(64)))])
            .is_ok()
    );
    let long = "x".repeat(70_000);
    for text in [
        format!("(rule r (compose ?{long} ?b) => (compose ?b ?{long}))"),
        format!("(rule r (group {long}) (compose ?a ?b) => (compose ?b ?a))"),
        format!("(rule r (targets {long}) (compose ?a ?b) => (compose ?b ?a))"),
        format!("(phase {long} (iterations 2))"),
    ] {
        assert!(error(&text).contains("a name of 70000 characters"));
    }
}

#[test]
fn sets_and_rules_have_their_limits() {
    let rules = |count: usize| -> String {
        (0..count).map(|i| format!("(rule r{i} (compose ?a ?b) => (compose ?b ?a))\n")).collect()
    };
    assert_eq!(read(&[("my.rules", &rules(512))]).unwrap().rules().len(), 512);
    let many = error(&rules(5000));
    assert!(many.contains("more than 512 rules") && many.contains("my.rules:513:7"), "{many}");
    assert_eq!(many.matches("error").count(), 1, "{many}");
    let sum = format!("(rule r (compose ?a ?b) =>\n (add{}))", " ?a".repeat(200_000));
    let large = error(&sum);
    assert!(large.contains("a rule of 200008 forms, variables and numbers"), "{large}");
    assert!(large.contains("expected at most 512") && large.len() < 1000, "{}", large.len());
    let kernel =
        format!("(rule r (compose ?a ?b) => (kernel {}))", format!("({})", "1 ".repeat(81)).repeat(81));
    assert!(error(&kernel).contains("a rule of 6561 coefficients of kernels"));
    let phases: String = (0..70).map(|i| format!("(phase p{i} (iterations 1))")).collect();
    assert!(error(&phases).contains("more than 64 phases"));
    let open = |_: &str, name: &str| Ok(Source::new(name, format!("(include \"{}x\")", name)));
    let deep = RuleSet::from_files(vec![Source::new("a", "(include \"ax\")")], &open).err().unwrap();
    assert!(deep.render(false).contains("includes more than 16 deep"), "{deep}");
}
