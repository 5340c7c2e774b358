use crate::*;
use std::collections::BTreeSet;

fn segment(number: u64, groups: &[(u32, SectionKind, u64)]) -> Segment {
    let part = |&(key_group, kind, bytes): &_| (key_group, GroupPart { kind, bytes });
    Segment {
        number,
        groups: groups.iter().map(part).collect(),
    }
}

use SectionKind::{Delta, Full};

#[test]
fn whole_sections_make_older_segments_unneeded() {
    let chain = Chain::default()
        .with(Some(segment(1, &[(0, Full, 10), (1, Full, 10)])))
        .with(Some(segment(2, &[(0, Delta, 1), (1, Delta, 1)])))
        .with(Some(segment(3, &[(0, Full, 10)])));
    assert_eq!(chain.segments.len(), 3, "key group 1 still needs 1 and 2");
    assert!(!chain.segments[0].groups.contains_key(&0));
    let chain = chain.with(Some(segment(4, &[(1, Full, 10)])));
    assert_eq!(
        chain.segments.iter().map(|s| s.number).collect::<Vec<_>>(),
        [3, 4]
    );
    assert_eq!(chain.with(None), chain);
    assert_eq!(
        (chain.last_number(), chain.mentions(1), chain.mentions(2)),
        (4, true, false)
    );
}

#[test]
fn heavy_deltas_are_rewritten() {
    let whole = 1 << 20;
    let chain = Chain::default()
        .with(Some(segment(1, &[(0, Full, whole), (1, Full, whole)])))
        .with(Some(segment(
            2,
            &[(0, Delta, 2 * whole), (1, Delta, 2 * whole)],
        )))
        .with(Some(segment(3, &[(1, Delta, 1)])));
    assert_eq!(rewrite_groups(&chain, 2), [1]);
}

/// Whatever is written, a restore reads a bounded row of segments, storage stays a multiple of the state, and
/// what is written stays near what changed.
#[test]
fn chains_stay_short_and_cheap_over_a_thousand_checkpoints() {
    for (groups, whole, delta) in [
        (128_u32, 5 << 20, 40 << 10),
        (1, 100 << 20, 1 << 20),
        (16, 4096, 4096),
    ] {
        let (mut chain, mut written) = (Chain::default(), 0_u64);
        for number in 1..=1000 {
            let rewrite: BTreeSet<u32> = match number {
                1 => (0..groups).collect(),
                _ => rewrite_groups(&chain, groups as usize)
                    .into_iter()
                    .collect(),
            };
            let parts: Vec<_> = (0..groups)
                .map(|g| {
                    if rewrite.contains(&g) {
                        (g, Full, whole)
                    } else {
                        (g, Delta, delta)
                    }
                })
                .collect();
            written += parts.iter().map(|part| part.2).sum::<u64>();
            chain = chain.with(Some(segment(number, &parts)));
            for key_group in 0..groups {
                let row = chain
                    .segments
                    .iter()
                    .filter(|s| s.groups.contains_key(&key_group))
                    .count();
                assert!(
                    row <= 256 + 128 + 1,
                    "key group {key_group} is in {row} segments"
                );
            }
        }
        let kept: u64 = chain
            .segments
            .iter()
            .flat_map(|s| s.groups.values())
            .map(|part| part.bytes)
            .sum();
        assert!(
            kept <= 4 * u64::from(groups) * whole.max(1 << 16),
            "{kept} bytes are kept"
        );
        let changed = u64::from(groups) * (whole + 1000 * delta);
        assert!(
            written * 10 <= changed * 15,
            "{written} written for {changed} changed"
        );
    }
}

#[test]
fn only_completed_checkpoints_are_built_on() {
    let mut tracker = ChainTracker::default();
    assert!(!tracker.deltas_possible());
    let first = tracker.plan(1, 1, false);
    assert_eq!(
        (first.since_epoch, first.segment, first.base.segments.len()),
        (0, 1, 0)
    );
    assert!(tracker.deltas_possible());
    let second = tracker.plan(2, 2, false);
    assert_eq!(second.since_epoch, 0, "the first is not complete");
    tracker.written(
        1,
        Written::new(first.base.with(Some(segment(1, &[(0, Full, 1)]))), 4),
    );
    tracker.written(
        2,
        Written::new(second.base.with(Some(segment(2, &[(0, Full, 1)]))), 4),
    );
    assert_eq!(tracker.complete(2), Some(2));
    assert_eq!(tracker.complete(1), None, "older than the base");
    let third = tracker.plan(3, 3, false);
    assert_eq!((third.since_epoch, third.base.last_number()), (2, 2));
    tracker.abort(3);
    assert_eq!(tracker.complete(3), None);
    let fourth = tracker.plan(4, 4, true);
    assert_eq!(
        (fourth.since_epoch, fourth.base.segments.len()),
        (0, 0),
        "written anew"
    );
    assert_eq!(tracker.complete(4), None, "never written");
    assert_eq!(tracker.plan(5, 5, false).since_epoch, 2);
}

#[test]
fn a_restored_chain_goes_on_behind_its_last_segment() {
    let mut tracker = ChainTracker::default();
    let chain = Chain::default().with(Some(segment(41, &[(0, Full, 1)])));
    tracker.restored(1, Written::new(chain, 4));
    let plan = tracker.plan(9, 2, false);
    assert_eq!(
        (plan.segment, plan.since_epoch, plan.base.last_number()),
        (42, 1, 41)
    );
}
