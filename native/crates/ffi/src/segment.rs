//! A snapshot as the bytes of a segment file, a piece at a time.

use sf_checkpoint::{
    Compression, GroupPart, Plan, SectionKind, Segment, SegmentEncoder, SegmentRow, SegmentTotals,
};
use sf_core::Result;
use sf_store::{Frozen, Position};

/// Rows encoded between two looks at how many bytes are ready.
const ROWS_PER_STEP: usize = 256;

/// Where the writer stands in the snapshot.
#[derive(Debug)]
enum Stage {
    Begin {
        group: usize,
    },
    Rows {
        group: usize,
        tombstones: bool,
        position: Position,
    },
    Done,
}

/// Encodes a frozen store. Tombstones of a key group come before its rows, so that a reader that applies
/// them in order ends with what lived.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    plan: Plan,
    encoder: SegmentEncoder,
    stage: Stage,
    worth_writing: bool,
}

impl SegmentWriter {
    pub(crate) fn new(plan: Plan, compression: Compression) -> Self {
        let encoder = SegmentEncoder::new(plan.segment, compression);
        Self {
            plan,
            encoder,
            stage: Stage::Begin { group: 0 },
            worth_writing: true,
        }
    }

    /// What the segment is added to.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Copies the next bytes; 0 at the end.
    pub(crate) fn next(&mut self, frozen: &mut Frozen, out: &mut [u8]) -> Result<usize> {
        while self.encoder.ready() < out.len() && !self.is_done() {
            self.step(frozen)?;
        }
        Ok(match self.worth_writing {
            true => self.encoder.output(out),
            false => 0,
        })
    }

    /// Whether all rows are encoded.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done)
    }

    /// The segment as the chain sees it, once done; `None` when nothing had to be written.
    pub(crate) fn segment(&self) -> Option<Segment> {
        let part = |section: &sf_checkpoint::Section| {
            (
                section.key_group,
                GroupPart {
                    kind: section.kind,
                    bytes: section.length,
                },
            )
        };
        let groups = self.encoder.sections().iter().map(part).collect();
        self.worth_writing.then_some(Segment {
            number: self.plan.segment,
            groups,
        })
    }

    /// What went in.
    pub(crate) fn totals(&self) -> SegmentTotals {
        if self.worth_writing {
            self.encoder.totals()
        } else {
            SegmentTotals::default()
        }
    }

    fn step(&mut self, frozen: &mut Frozen) -> Result<()> {
        self.stage = match self.stage {
            Stage::Begin { group } => match frozen.groups().get(group) {
                Some(frozen_group) => {
                    frozen.load(group)?;
                    let key_group = frozen_group.key_group();
                    let (kind, keep_empty) = match frozen_group.is_full() {
                        true => (SectionKind::Full, self.plan.base.mentions(key_group)),
                        false => (SectionKind::Delta, false),
                    };
                    self.encoder.begin_section(key_group, kind, keep_empty);
                    let tombstones = kind == SectionKind::Delta;
                    Stage::Rows {
                        group,
                        tombstones,
                        position: Position::default(),
                    }
                }
                None => {
                    self.worth_writing = self.encoder.finish();
                    Stage::Done
                }
            },
            Stage::Rows {
                group,
                tombstones,
                position,
            } => {
                let mut rows = frozen.rows(group, tombstones, None, position);
                let mut left = ROWS_PER_STEP;
                for row in rows.by_ref().take(ROWS_PER_STEP) {
                    let list =
                        frozen.states()[row.state as usize].kind == sf_store::StateKind::List;
                    self.encoder.push(&SegmentRow {
                        state: row.state,
                        tombstone: row.tombstone,
                        prefix_len: row.prefix_len,
                        seq: if list { row.seq } else { 0 },
                        key: row.key,
                        value: row.value,
                    });
                    left -= 1;
                }
                match (left, tombstones) {
                    (0, _) => Stage::Rows {
                        group,
                        tombstones,
                        position: rows.position(),
                    },
                    (_, true) => Stage::Rows {
                        group,
                        tombstones: false,
                        position: Position::default(),
                    },
                    (_, false) => {
                        frozen.release(group);
                        Stage::Begin { group: group + 1 }
                    }
                }
            }
            Stage::Done => Stage::Done,
        };
        Ok(())
    }
}
