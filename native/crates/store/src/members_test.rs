use crate::members::MemberList;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn contents(list: &MemberList, from: u32) -> Vec<(u32, u32)> {
    list.from(from).collect()
}

proptest! {
    #[test]
    fn keeps_insertion_order(steps in proptest::collection::vec(0..40_u32, 0..200), from in 0..100_u32) {
        let mut list = MemberList::new(1);
        let mut model = BTreeMap::new();
        for (n, step) in steps.into_iter().enumerate() {
            if step < 25 {
                if !list.has_room() {
                    list.grow(|_, _| panic!("numbers do not run out here"));
                }
                model.insert(list.push(n as u32 + 1), n as u32 + 1);
            } else if let Some(seq) = model.keys().nth(step as usize % model.len().max(1)).copied() {
                list.remove(seq);
                list.remove(seq);
                model.remove(&seq);
            }
            prop_assert_eq!(list.live() as usize, model.len());
            prop_assert_eq!(list.first(), model.values().next().copied());
            prop_assert_eq!(list.last(), model.iter().next_back().map(|(seq, r)| (*seq, *r)));
        }
        let expected = |from| model.range(from..).map(|(seq, r)| (*seq, *r)).collect::<Vec<_>>();
        prop_assert_eq!(contents(&list, 0), expected(0));
        prop_assert_eq!(contents(&list, from), expected(from));
    }

    #[test]
    fn takes_loaded_members_in_any_order(seqs in proptest::collection::vec(0..30_u32, 0..40)) {
        let mut list = MemberList::new(1);
        let mut model = BTreeMap::new();
        for (n, seq) in seqs.into_iter().enumerate() {
            if !list.has_room() {
                list.grow(|_, _| panic!("numbers do not run out here"));
            }
            list.insert(seq, n as u32 + 1);
            model.insert(seq, n as u32 + 1);
        }
        prop_assert_eq!(contents(&list, 0), model.clone().into_iter().collect::<Vec<_>>());
        prop_assert_eq!(list.first(), model.values().next().copied());
        prop_assert!(list.next_seq() > model.keys().next_back().copied().unwrap_or(0) || model.is_empty());
    }
}

#[test]
fn numbers_are_given_anew_when_they_run_out() {
    let mut list = MemberList::new(1);
    list.insert(5, 50);
    list.grow(|_, _| panic!("numbers do not run out here"));
    list.insert(u32::MAX - 1, 70);
    assert!(!list.has_room());
    let mut told = Vec::new();
    list.grow(|reference, seq| told.push((reference, seq)));
    assert_eq!(told, [(50, 0), (70, 1)]);
    assert!(list.has_room());
    assert_eq!(
        (list.push(90), contents(&list, 0)),
        (2, vec![(0, 50), (1, 70), (2, 90)])
    );
}
