//! Registers for a straight line of steps: values become webs with life spans, webs get registers of their file.

use super::recipe::Recipes;
use super::step::{Need, Step};
use super::value::Value;

/// A value in a register, from the step that leaves it to the last one that needs it.
///
/// Times: step i reads at 2i + 1 and writes at 2i + 2; what is there at the start was written at 0.
#[derive(Clone, Debug)]
struct Web {
    file: usize,
    value: Value,
    birth: usize,
    death: usize,
    /// The register (an index into its file) that it must have.
    fixed: Option<usize>,
    /// The slot that writes it at its birth, and the slots that read it at its death.
    born_in: Option<usize>,
    dies_in: Vec<usize>,
    /// The web whose register it takes over because an instruction reads and writes the same operand.
    follows: Option<usize>,
}

/// The registers of every step's slots, and of the outputs in the order of the goal.
pub(crate) struct Assignment {
    pub(crate) slots: Vec<Vec<usize>>,
    pub(crate) goal: Vec<usize>,
}

/// Chooses registers (as indices into their files) for `steps`. `start` and `goal` hold needs with the register where one is
/// fixed. `None` where no choice satisfies all.
pub(crate) fn assign(
    recipes: &Recipes,
    steps: &[Step],
    start: &[(Need, Option<usize>)],
    goal: &[(Need, Option<usize>)],
) -> Option<Assignment> {
    let end = 2 * steps.len() + 3;
    let mut webs: Vec<Web> = Vec::new();
    let mut live: Vec<usize> = Vec::new();
    // Which web each slot of each step reads or writes.
    let mut of_slot: Vec<Vec<Option<usize>>> =
        steps.iter().map(|s| vec![None; recipes.forms[usize::from(s.form)].slots.len()]).collect();
    let new_web = |need: Need, death: usize, fixed: Option<usize>| Web {
        file: usize::from(need.file),
        value: need.value,
        birth: 0,
        death,
        fixed,
        born_in: None,
        dies_in: Vec::new(),
        follows: None,
    };
    for (need, fixed) in goal {
        live.push(webs.len());
        webs.push(new_web(*need, end, *fixed));
    }
    for (index, step) in steps.iter().enumerate().rev() {
        let form = &recipes.forms[usize::from(step.form)];
        for (slot, value) in &step.produced {
            let slot = usize::from(*slot);
            let same = |w: &usize| webs[*w].file == form.slots[slot].0 && webs[*w].value == *value;
            // A value that was there before is read from where it was.
            let Some(at) = live.iter().position(same) else { continue };
            let web = live.remove(at);
            (webs[web].birth, webs[web].born_in) = (2 * index + 2, Some(slot));
            of_slot[index][slot] = Some(web);
        }
        // What is written and not needed still takes a register for a moment.
        for (slot, (file, _, writes)) in form.slots.iter().enumerate() {
            if *writes && of_slot[index][slot].is_none() {
                let value = step.sources.first().or(step.produced.first()).map(|(_, v)| *v)?;
                let mut web = new_web(Need { file: *file as u8, value }, 2 * index + 2, None);
                (web.birth, web.born_in) = (2 * index + 2, Some(slot));
                of_slot[index][slot] = Some(webs.len());
                webs.push(web);
            }
        }
        let surviving = live.len();
        for (slot, value) in &step.sources {
            let slot = usize::from(*slot);
            let (file, _, writes) = form.slots[slot];
            let readers = |w: usize| -> Vec<usize> {
                (0..form.slots.len())
                    .filter(|s| *s != slot && form.slots[*s].1 && of_slot[index][*s] == Some(w))
                    .collect()
            };
            let apart = |w: usize| readers(w).iter().any(|s| form.differs(*s, slot));
            let found = live.iter().enumerate().position(|(i, w)| {
                webs[*w].file == file && webs[*w].value == *value && !apart(*w) && !(writes && i < surviving)
            });
            let web = match found {
                Some(at) => live[at],
                None => {
                    live.push(webs.len());
                    webs.push(new_web(Need { file: file as u8, value: *value }, 2 * index + 1, None));
                    webs.len() - 1
                }
            };
            if webs[web].death == 2 * index + 1 {
                webs[web].dies_in.push(slot);
            }
            if writes {
                let result = of_slot[index][slot]?;
                webs[result].follows = Some(web);
            } else {
                of_slot[index][slot] = Some(web);
            }
        }
    }
    for web in live {
        let (_, fixed) = start
            .iter()
            .find(|(n, _)| usize::from(n.file) == webs[web].file && n.value == webs[web].value)?;
        if let (Some(a), Some(b)) = (webs[web].fixed, *fixed)
            && a != b
        {
            return None;
        }
        webs[web].fixed = webs[web].fixed.or(*fixed);
    }
    let chosen = colour(recipes, steps, &webs)?;
    let slots = of_slot
        .iter()
        .map(|slots| slots.iter().map(|web| web.map(|w| chosen[w])).collect::<Option<Vec<usize>>>())
        .collect::<Option<_>>()?;
    Some(Assignment { slots, goal: chosen[..goal.len()].to_vec() })
}

/// Depth-first choice of a register for each web, in the order of birth.
fn colour(recipes: &Recipes, steps: &[Step], webs: &[Web]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..webs.len()).collect();
    order.sort_by_key(|w| (webs[*w].birth, *w));
    let conflict = |a: &Web, b: &Web| {
        if a.file != b.file {
            return false;
        }
        let (first, second) = if a.birth <= b.birth { (a, b) } else { (b, a) };
        if second.birth == first.death + 1 && first.death % 2 == 1 {
            // The first dies in the step that leaves the second.
            let form = steps.get((first.death - 1) / 2).map(|s| &recipes.forms[usize::from(s.form)]);
            return form.is_some_and(|form| {
                second.born_in.is_some_and(|born| first.dies_in.iter().any(|slot| form.differs(*slot, born)))
            });
        }
        second.birth <= first.death
    };
    let mut chosen: Vec<Option<usize>> = vec![None; webs.len()];
    // The webs of each register of each file, in the order of birth: their lives do not meet, so only the last one is in the way.
    let mut held: Vec<Vec<Vec<usize>>> =
        recipes.capacity.iter().map(|registers| vec![Vec::new(); *registers]).collect();
    let fixed: Vec<usize> = (0..webs.len()).filter(|web| webs[*web].fixed.is_some()).collect();
    let mut tries = vec![0usize; order.len()];
    let mut at = 0;
    let mut work = 0usize;
    while at < order.len() {
        work += 1;
        if work > 200_000 {
            return None;
        }
        let web = order[at];
        if let Some(register) = chosen[web].take() {
            held[webs[web].file][register].pop();
        }
        let forced = webs[web].follows.and_then(|w| chosen[w]);
        let count = recipes.capacity[webs[web].file];
        let mut found = None;
        while tries[at] < count {
            let register = tries[at];
            tries[at] += 1;
            let allowed =
                webs[web].fixed.is_none_or(|f| f == register) && forced.is_none_or(|f| f == register);
            // A register that another web is fixed to is only free where their lives do not meet.
            let awaited = fixed.iter().filter(|other| {
                **other != web && chosen[**other].is_none() && webs[**other].fixed == Some(register)
            });
            let clash = held[webs[web].file][register]
                .last()
                .into_iter()
                .chain(awaited)
                .any(|other| webs[web].follows != Some(*other) && conflict(&webs[web], &webs[*other]));
            if allowed && !clash {
                found = Some(register);
                break;
            }
        }
        match found {
            Some(register) => {
                chosen[web] = Some(register);
                held[webs[web].file][register].push(web);
                at += 1;
            }
            None => {
                tries[at] = 0;
                at = at.checked_sub(1)?;
            }
        }
    }
    chosen.into_iter().collect()
}
