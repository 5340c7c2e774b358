use super::*;

#[test]
fn refuses_past_the_limit_and_gives_back_on_drop() {
    let budget = MemoryBudget::new(100);
    let first = budget.try_charge(60).expect("fits");
    assert!(budget.try_charge(41).is_none());
    let mut second = budget.try_charge(40).expect("fits exactly");
    assert_eq!(budget.used(), 100);
    second.shrink_to(10);
    assert_eq!(budget.used(), 70);
    drop(first);
    assert_eq!(budget.used(), 10);
    second.absorb(budget.try_charge(5).expect("fits"));
    assert_eq!((second.bytes(), budget.used()), (15, 15));
    drop(second);
    assert_eq!(budget.used(), 0);
}

#[test]
fn overdraft_is_counted() {
    let budget = MemoryBudget::new(10);
    let charge = budget.charge_overdraft(30);
    assert_eq!(budget.used(), 30);
    assert!(budget.try_charge(1).is_none());
    drop(charge);
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_share_leaves_the_others_what_they_claim() {
    let budget = MemoryBudget::new(800);
    let (first, second) = (budget.share(), budget.share());
    // The other one is idle: it keeps a quarter of its half.
    let mut much = first.try_charge(700).expect("fits");
    assert!(first.try_charge(1).is_none());
    assert!(second.is_owed());
    let little = second.try_charge(100).expect("it was kept free");
    assert!(!second.is_owed());
    // Now the other one needs more, and gets its half as soon as the first gives way.
    assert!(second.try_charge(300).is_none());
    much.shrink_to(550);
    assert!(first.try_charge(1).is_none());
    much.shrink_to(400);
    let more = second.try_charge(300).expect("given way");
    assert_eq!((budget.used(), first.used()), (800, 800));
    // A share ends with its last charge.
    drop((second, little));
    assert!(first.try_charge(1).is_none());
    drop(more);
    much.absorb(first.try_charge(400).expect("alone again"));
    drop(much);
    assert_eq!(budget.used(), 0);
}

#[test]
fn a_share_that_came_late_is_owed_something() {
    let budget = MemoryBudget::new(800);
    let first = budget.share();
    let all = first.try_charge(800).expect("alone");
    assert!(!first.is_owed());
    let second = budget.share();
    assert!(second.try_charge(10).is_none());
    assert!(second.is_owed());
    let overdraft = second.charge_overdraft(100);
    assert!(!second.is_owed());
    assert_eq!(budget.used(), 900);
    drop((all, overdraft));
}

#[test]
fn ranges_know_their_slots() {
    let range = KeyGroupRange::new(3, 5, 128).expect("valid");
    assert_eq!(range.count(), 3);
    assert_eq!(range.slot(3), Some(0));
    assert_eq!(range.slot(5), Some(2));
    assert_eq!(range.slot(2), None);
    assert_eq!(range.slot(6), None);
    assert_eq!(range.slot(-1), None);
    for (first, last, max) in [(-1, 0, 1), (1, 0, 2), (0, 2, 2), (0, 1, 40_000)] {
        assert_eq!(
            KeyGroupRange::new(first, last, max)
                .map(|_| ())
                .map_err(|e| e.kind()),
            Err(ErrorKind::User)
        );
    }
}
