//! Which segments a checkpoint consists of, and when a key group is written whole again.

use std::collections::BTreeMap;

/// What a segment says of a key group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// Changes since the segment before.
    Delta,
    /// Everything; older segments do not matter for this key group.
    Full,
}

impl SectionKind {
    /// The number in files and in the C ABI.
    pub fn code(self) -> u8 {
        match self {
            Self::Delta => 0,
            Self::Full => 1,
        }
    }

    /// The inverse of [`SectionKind::code`].
    pub fn from_code(code: u32) -> Option<Self> {
        [Self::Delta, Self::Full]
            .into_iter()
            .find(|known| u32::from(known.code()) == code)
    }
}

/// One key group within a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupPart {
    /// Changes or everything.
    pub kind: SectionKind,
    /// Bytes in the file.
    pub bytes: u64,
}

/// A segment file as checkpoints refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its number; grows in the order of writing.
    pub number: u64,
    /// The key groups that it has rows of, or is the whole truth of.
    pub groups: BTreeMap<u32, GroupPart>,
}

/// The segments of one checkpoint, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// Oldest first.
    pub segments: Vec<Segment>,
}

/// A key group's share of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Share {
    segments: usize,
    full_bytes: u64,
    delta_bytes: u64,
}

/// From this many segments on a key group's row is too long.
const LONG: usize = 256;
/// Too long rows are ended within so many checkpoints.
const PACE: usize = 128;
/// A key group is written whole when its deltas are so many times its last whole size.
const DELTA_FACTOR: u64 = 2;
/// Deltas below this are never a reason.
const SMALL_DELTAS: u64 = 64 * 1024;

impl Chain {
    /// This chain and one more segment; segments that no key group needs any more are left out.
    pub fn with(&self, segment: Option<Segment>) -> Self {
        let mut segments = self.segments.clone();
        segments.extend(segment);
        let mut covered: BTreeMap<u32, ()> = BTreeMap::new();
        let mut kept = Vec::with_capacity(segments.len());
        for mut segment in segments.into_iter().rev() {
            segment
                .groups
                .retain(|key_group, _| !covered.contains_key(key_group));
            for (key_group, part) in &segment.groups {
                if part.kind == SectionKind::Full {
                    covered.insert(*key_group, ());
                }
            }
            if !segment.groups.is_empty() {
                kept.push(segment);
            }
        }
        kept.reverse();
        Self { segments: kept }
    }

    /// Whether a segment says anything of a key group.
    pub fn mentions(&self, key_group: u32) -> bool {
        self.segments
            .iter()
            .any(|segment| segment.groups.contains_key(&key_group))
    }

    /// The greatest segment number, 0 without segments.
    pub fn last_number(&self) -> u64 {
        self.segments
            .iter()
            .map(|segment| segment.number)
            .max()
            .unwrap_or(0)
    }

    fn shares(&self) -> BTreeMap<u32, Share> {
        let mut shares: BTreeMap<u32, Share> = BTreeMap::new();
        for segment in &self.segments {
            for (key_group, part) in &segment.groups {
                let share = shares.entry(*key_group).or_default();
                match part.kind {
                    SectionKind::Full => {
                        *share = Share {
                            segments: 1,
                            full_bytes: part.bytes,
                            delta_bytes: 0,
                        };
                    }
                    SectionKind::Delta => {
                        share.segments += 1;
                        share.delta_bytes += part.bytes;
                    }
                }
            }
        }
        shares
    }
}

/// The key groups that the next segment should hold whole: those whose deltas outweigh them, and those whose
/// row of segments is too long, the longest first and no more than keeps pace, so that no checkpoint has to
/// write everything at once.
pub fn rewrite_groups(chain: &Chain, key_groups: usize) -> Vec<u32> {
    let shares = chain.shares();
    let heavy = |share: &Share| {
        share.delta_bytes > SMALL_DELTAS.max(share.full_bytes.saturating_mul(DELTA_FACTOR))
    };
    let mut rewrite: Vec<u32> = shares
        .iter()
        .filter(|(_, share)| heavy(share))
        .map(|(key_group, _)| *key_group)
        .collect();
    let mut long: Vec<(usize, u32)> = shares
        .iter()
        .filter(|(_, share)| !heavy(share) && share.segments > LONG)
        .map(|(key_group, share)| (share.segments, *key_group))
        .collect();
    long.sort_unstable_by(|a, b| b.cmp(a));
    let pace = key_groups.div_ceil(PACE);
    rewrite.extend(long.into_iter().take(pace).map(|(_, key_group)| key_group));
    rewrite.sort_unstable();
    rewrite
}
