use super::java_order::JavaOrder;

/// The groups in order.
fn order(map: &mut JavaOrder, hashes: &[i32]) -> Vec<u32> {
    map.of(hashes)
}

#[test]
fn slots_come_in_order_and_keys_of_one_as_they_were_put() {
    let mut map = JavaOrder::default();
    assert_eq!(order(&mut map, &[]), [0; 0]);
    // 16 slots: 33 falls on 1, and the high half is mixed in: 0x10000 is 1 as well, and -1 is 0.
    assert_eq!(
        order(&mut map, &[33, 2, 1, 0x10000, 0, -1]),
        [4, 5, 0, 2, 3, 1]
    );
}

/// What one `java.util.HashMap` gave, cleared between the three bundles: its first values, and a sum over all.
#[test]
fn bundles_come_as_from_java() {
    let sum = |order: &[u32]| {
        let add = |sum: i64, group: &u32| sum.wrapping_mul(31).wrapping_add(i64::from(*group));
        order.iter().fold(0, add)
    };
    let random = |round: i32, keys: usize| -> Vec<i32> {
        let mut hash = 12345 + round;
        let next = |_| {
            hash = hash.wrapping_mul(1_103_515_245).wrapping_add(12345);
            hash
        };
        (0..keys).map(next).collect()
    };
    let mut map = JavaOrder::default();
    let first = order(&mut map, &random(0, 40));
    assert_eq!(first[..8], [23, 25, 37, 6, 20, 2, 30, 8]);
    assert_eq!(sum(&first), 6_386_033_920_078_571_870);
    let second: Vec<i32> = (0..9).map(|i| i << 20).collect();
    assert_eq!(order(&mut map, &second), [0, 4, 8, 1, 5, 2, 6, 3, 7]);
    let third = order(&mut map, &random(2, 200));
    assert_eq!(third[..8], [198, 173, 42, 176, 88, 146, 151, 137]);
    assert_eq!(sum(&third), -6_319_151_513_979_705_504);
}

#[test]
fn slots_double_beyond_three_quarters_and_stay() {
    let mut map = JavaOrder::default();
    let twelve: Vec<i32> = (0..11).chain([16]).collect();
    assert_eq!(order(&mut map, &twelve)[..2], [0, 11], "16 slots");
    let thirteen: Vec<i32> = (0..12).chain([16]).collect();
    assert_eq!(order(&mut map, &thirteen)[12], 12, "32 slots");
    // A map that was cleared keeps them.
    assert_eq!(order(&mut map, &[16, 1]), [1, 0]);
}

#[test]
fn a_crowded_slot_doubles_a_small_map() {
    let mut map = JavaOrder::default();
    // Nine keys of slot 0: the ninth doubles the slots, which puts every other key on 16.
    let hashes: Vec<i32> = (0..9).map(|i| i * 16).collect();
    assert_eq!(order(&mut map, &hashes), [0, 2, 4, 6, 8, 1, 3, 5, 7]);
}
