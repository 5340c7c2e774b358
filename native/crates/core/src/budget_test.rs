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
