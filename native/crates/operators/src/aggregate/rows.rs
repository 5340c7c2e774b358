//! Rows by key: the groups of a batch, and what each row does to its group.

use hashbrown::HashTable;
use sf_batch::{Batch, EncodedRows, RowKind};
use sf_codec::key_group::key_group_of_hash;
use sf_core::{Error, Result};
use sf_store::KeyBatch;
use std::hash::BuildHasher;

/// No seed of its own for each process: tables live as long as a batch, and runs repeat.
const HASHER: foldhash::fast::FixedState = foldhash::fast::FixedState::with_seed(0x2b99_71c3);

/// The serialized `VoidNamespace`.
const NAMESPACE: u8 = 0;

/// A hash of bytes and a number, for tables of one batch.
pub(super) fn hash_of(number: u32, bytes: &[u8]) -> u64 {
    HASHER.hash_one((number, bytes))
}

/// The distinct keys of a batch, numbered in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The group of each row.
    pub of_row: Vec<u32>,
    /// The first row of each group.
    pub first_row: Vec<u32>,
}

impl Groups {
    /// The groups of rows with these keys.
    pub fn new(keys: &EncodedRows) -> Self {
        let mut groups = Self {
            of_row: Vec::with_capacity(keys.len()),
            first_row: Vec::new(),
        };
        let mut table: HashTable<u32> = HashTable::with_capacity(keys.len());
        for row in 0..keys.len() {
            let key = keys.row(row);
            let first_row = &mut groups.first_row;
            let same = |group: &u32| keys.row(first_row[*group as usize] as usize) == key;
            let hash = hash_of(0, key);
            let group = match table.find(hash, same) {
                Some(group) => *group,
                None => {
                    let group = first_row.len() as u32;
                    first_row.push(row as u32);
                    let again =
                        |group: &u32| hash_of(0, keys.row(first_row[*group as usize] as usize));
                    table.insert_unique(hash, group, again);
                    group
                }
            };
            groups.of_row.push(group);
        }
        groups
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.first_row.len()
    }
}

/// Keys of groups as the store has them: `[length, BinaryRow][namespace]`.
#[derive(Debug, Default)]
pub(super) struct StoreKeys {
    bytes: Vec<u8>,
    offsets: Vec<i32>,
    key_groups: Vec<i32>,
}

impl StoreKeys {
    /// The keys of all groups.
    pub fn new(groups: &Groups, keys: &EncodedRows, max_parallelism: u32) -> Result<Self> {
        let mut all = Self {
            bytes: Vec::new(),
            offsets: vec![0],
            key_groups: Vec::with_capacity(groups.len()),
        };
        for row in &groups.first_row {
            let row = *row as usize;
            let key_group = key_group_of_hash(keys.hash(row), max_parallelism);
            all.push(keys.serialized(row), key_group as i32);
            all.bytes.push(NAMESPACE);
            all.end()?;
        }
        Ok(all)
    }

    /// Some of the keys.
    pub fn select(&self, groups: impl Iterator<Item = usize>) -> Result<Self> {
        let mut some = Self {
            offsets: vec![0],
            ..Self::default()
        };
        for group in groups {
            some.push(self.key(group), self.key_groups[group]);
            some.end()?;
        }
        Ok(some)
    }

    fn push(&mut self, key: &[u8], key_group: i32) {
        self.bytes.extend_from_slice(key);
        self.key_groups.push(key_group);
    }

    fn end(&mut self) -> Result<()> {
        let end = i32::try_from(self.bytes.len());
        let end = end.map_err(|_| Error::user("the keys of one batch have more than 2 GiB"))?;
        self.offsets.push(end);
        Ok(())
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.key_groups.len()
    }

    /// `[key][namespace]` of a group.
    pub fn key(&self, group: usize) -> &[u8] {
        &self.bytes[self.offsets[group] as usize..self.offsets[group + 1] as usize]
    }

    /// The key group of a group.
    pub fn key_group(&self, group: usize) -> i32 {
        self.key_groups[group]
    }

    /// All of them for the batch door.
    pub fn batch(&self) -> KeyBatch<'_> {
        KeyBatch {
            bytes: &self.bytes,
            offsets: &self.offsets,
            key_groups: &self.key_groups,
        }
    }
}

/// What a row does to its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing: a retraction of a group that is not there.
    Skip,
    /// Begins the group.
    First,
    /// Changes it.
    Next,
    /// Retracts its last row: the group is gone afterwards.
    Last,
}

/// The rows of a batch on their way into groups.
#[derive(Debug)]
pub(super) struct Flow {
    pub groups: Vec<u32>,
    pub steps: Vec<Step>,
    /// 1 for rows that add, -1 for rows that retract.
    pub effects: Vec<i8>,
}

impl Flow {
    /// Rows that all change their group.
    pub fn new(groups: Vec<u32>, batch: &Batch) -> Result<Self> {
        let rows = 0..batch.rows();
        let effect = |row| -> Result<i8> {
            Ok(match batch.kind(row)? {
                RowKind::Insert | RowKind::UpdateAfter => 1,
                RowKind::UpdateBefore | RowKind::Delete => -1,
            })
        };
        let effects = match batch.kinds() {
            None => vec![1; batch.rows()],
            Some(_) => rows.map(effect).collect::<Result<_>>()?,
        };
        let steps = vec![Step::Next; batch.rows()];
        Ok(Self {
            groups,
            steps,
            effects,
        })
    }

    /// Rows that all change their group, without effects of their own.
    pub fn of_groups(groups: Vec<u32>) -> Self {
        Self {
            steps: vec![Step::Next; groups.len()],
            effects: vec![0; groups.len()],
            groups,
        }
    }

    /// Fails when a row retracts.
    pub fn check_appends(&self) -> Result<()> {
        match self.effects.iter().position(|effect| *effect < 0) {
            None => Ok(()),
            Some(row) => Err(Error::internal(format!(
                "row {row} retracts, and the plan says that the input never does"
            ))),
        }
    }

    /// Finds the step of each row. `there` says of each group whether it is there, before and then after the rows;
    /// `counts`, how many rows it has. Without counts groups never end.
    pub fn find_steps(&mut self, there: &mut [bool], mut counts: Option<Vec<i64>>) {
        for (row, group) in self.groups.iter().enumerate() {
            let group = *group as usize;
            let effect = self.effects[row];
            let first = !there[group];
            if first && effect < 0 {
                self.steps[row] = Step::Skip;
                continue;
            }
            there[group] = true;
            self.steps[row] = if first { Step::First } else { Step::Next };
            if let Some(counts) = &mut counts {
                counts[group] = counts[group].wrapping_add(effect.into());
                if counts[group] == 0 {
                    there[group] = false;
                    self.steps[row] = Step::Last;
                }
            }
        }
    }
}
