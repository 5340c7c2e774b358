use crate::region::{Quota, Region};

#[test]
fn a_quota_is_no_more_than_it_is() {
    let quota = Quota::new(2);
    assert!(quota.take() && quota.take());
    assert!(!quota.take() && !quota.take());
    quota.give();
    assert!(quota.take());
    assert!(!quota.take());
}

#[test]
fn regions_of_all_sizes_are_zeroed_and_their_own() {
    let sizes = [0, 8, 4096, 16 << 10, (16 << 10) + 8, 20 << 10, 64 << 10, 70_000];
    // More small ones than are mapped.
    let many = std::iter::repeat_n(16 << 10, 17_000);
    let regions: Vec<Region> = sizes
        .into_iter()
        .chain(many)
        .map(|len| Region::zeroed(len).unwrap())
        .collect();
    for (at, region) in regions.iter().enumerate() {
        let last = region.len() / size_of::<usize>() - 1;
        // SAFETY: the region has that word, is aligned for it, and nobody else has the region.
        unsafe {
            let first = region.base().cast::<usize>();
            assert_eq!((first.read(), first.add(last).read()), (0, 0));
            first.write(at);
            first.add(last).write(at);
        }
    }
    for (at, region) in regions.iter().enumerate() {
        // SAFETY: as above.
        assert_eq!(unsafe { region.base().cast::<usize>().read() }, at);
    }
}
