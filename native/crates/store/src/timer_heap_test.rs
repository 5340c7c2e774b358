use crate::timer_heap::TimerHeap;
use proptest::prelude::*;
use sf_core::MemoryBudget;

proptest! {
    #[test]
    fn heads_come_in_order_whatever_is_removed(
        steps in proptest::collection::vec((0..3_u8, prop_oneof![Just(i64::MIN), Just(-1), Just(0),
            Just(i64::MAX - 1), Just(i64::MAX), any::<i64>()]), 0..200),
    ) {
        let budget = MemoryBudget::new(1 << 20);
        let mut heap = TimerHeap::new(&budget);
        let mut model: Vec<(i64, u32)> = Vec::new();
        for (kind, timestamp) in steps {
            if kind > 0 || model.is_empty() {
                if !heap.has_room() {
                    let charge = budget.try_charge(heap.growth_bytes()).expect("fits");
                    heap.grow(charge);
                }
                let slot = heap.next_slot();
                let head = model.iter().map(|(t, _)| *t).min().is_none_or(|least| timestamp < least);
                prop_assert_eq!(heap.push(timestamp, 0, slot + 1), head);
                model.push((timestamp, slot));
            } else {
                let (_, slot) = model.swap_remove(timestamp.unsigned_abs() as usize % model.len());
                heap.remove(slot);
            }
            prop_assert_eq!(heap.len(), model.len());
            let least = model.iter().map(|(t, _)| *t).min();
            let head = heap.head().map(|head| head.reference - 1);
            let at_head = model.iter().find(|(_, slot)| Some(*slot) == head).map(|(t, _)| *t);
            prop_assert_eq!(at_head, least);
        }
    }
}
