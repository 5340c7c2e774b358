//! The order in which a `java.util.HashMap` gives the keys of a bundle: that of Flink's output.

/// Slots of a map when the first key comes.
const FIRST_CAPACITY: usize = 16;
/// Keys of one slot from which on the map grows, or makes a tree of them.
const TREEIFY: u32 = 8;
/// Slots below which it grows instead.
const LEAST_TREE_CAPACITY: usize = 64;

/// The map of one operator; `HashMap.clear` keeps its slots.
///
/// Keys of one slot come in the order in which they were put. Slots that Java turns into trees (nine and more keys in
/// one slot of a large map) may come in another order there.
#[derive(Debug, Default)]
pub(super) struct JavaOrder {
    capacity: usize,
}

impl JavaOrder {
    /// The order of a bundle's groups, whose keys have these `hashCode`s and came in this order.
    pub fn of(&mut self, hashes: &[i32]) -> Vec<u32> {
        self.capacity = self.capacity.max(FIRST_CAPACITY);
        let mut taken = self.count(&[]);
        for (before, hash) in hashes.iter().enumerate() {
            let slot = self.slot(*hash);
            if taken[slot] >= TREEIFY && self.capacity < LEAST_TREE_CAPACITY {
                self.capacity *= 2;
                taken = self.count(&hashes[..before]);
            }
            taken[self.slot(*hash)] += 1;
            if before + 1 > self.capacity / 4 * 3 {
                self.capacity *= 2;
                taken = self.count(&hashes[..=before]);
            }
        }
        let mut order: Vec<u32> = (0..hashes.len() as u32).collect();
        order.sort_by_key(|group| self.slot(hashes[*group as usize]));
        order
    }

    fn slot(&self, hash: i32) -> usize {
        let hash = hash as u32;
        (hash ^ hash >> 16) as usize & (self.capacity - 1)
    }

    /// Keys of each slot.
    fn count(&self, hashes: &[i32]) -> Vec<u32> {
        let mut taken = vec![0; self.capacity];
        for hash in hashes {
            taken[self.slot(*hash)] += 1;
        }
        taken
    }
}
