use crate::table::Table;
use proptest::prelude::*;
use sf_core::MemoryBudget;
use std::collections::BTreeMap;

proptest! {
    /// Few distinct hashes, so that runs wrap round and removals shift across the end.
    #[test]
    fn behaves_like_a_map(steps in proptest::collection::vec((any::<bool>(), 1..60_u32), 0..300)) {
        let budget = MemoryBudget::new(1 << 20);
        let mut table = Table::new(&budget);
        let mut model = BTreeMap::new();
        let hash = |key: u32| (key % 7) | if key.is_multiple_of(3) { 0xffff_fff8 } else { 0 };
        for (insert, key) in steps {
            let found = table.find(hash(key), |reference| reference == key);
            prop_assert_eq!(found.is_some(), model.contains_key(&key));
            match found {
                None if insert => {
                    if !table.has_room() {
                        let charge = budget.try_charge(table.growth_bytes()).expect("fits");
                        assert!(table.grow(charge));
                    }
                    table.insert(hash(key), key);
                    model.insert(key, ());
                }
                Some(bucket) if !insert => {
                    table.remove(bucket);
                    model.remove(&key);
                }
                _ => {}
            }
            prop_assert_eq!(table.len(), model.len());
            prop_assert!(model.keys().all(|key| table.find(hash(*key), |r| r == *key).is_some()));
        }
        let mut left: Vec<_> = (0..table.buckets()).filter_map(|bucket| table.at(bucket)).collect();
        left.sort_unstable();
        prop_assert_eq!(left, model.into_keys().collect::<Vec<_>>());
        prop_assert_eq!(budget.used(), table.charged());
    }
}
