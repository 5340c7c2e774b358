//! Random histories through the C ABI against the model: operations, background work, checkpoints that
//! complete, fail or overlap, and restores from every one of them.

use proptest::prelude::*;
use sf_testkit::{Driver, Kind, Model, Snapshot, Table};
use std::collections::BTreeMap;

const VALUE: i32 = 0;
const LIST: i32 = 1;
const MAP: i32 = 2;
const TIMER: i32 = 3;
const KEY_GROUPS: i32 = 3;
/// Little more than the longest list of a history and the tables need.
const SPILLING_BUDGET: i64 = 192 << 10;

#[derive(Debug, Clone)]
enum Step {
    Put(u8, u16),
    Remove(u8),
    ListAdd(u8, u16),
    ListPut(u8, u16),
    ListClear(u8),
    MapPut(u8, u8, u16),
    MapRemove(u8, u8),
    MapClear(u8),
    MapIterate(u8, u8),
    TimerAdd(u8),
    TimerRemove(u8),
    TimerPoll,
    Maintain,
    Checkpoint(u8),
    Finish { write: bool, complete: bool },
    Savepoint,
    Restore,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (key, len) = (0..24_u8, prop_oneof![20 => 0..60_u16, 1 => 0..6000_u16]);
    let step = prop_oneof![
        8 => (key.clone(), len.clone()).prop_map(|(k, l)| Step::Put(k, l)),
        4 => key.clone().prop_map(Step::Remove),
        8 => (key.clone(), len.clone()).prop_map(|(k, l)| Step::ListAdd(k, l)),
        1 => (key.clone(), len.clone()).prop_map(|(k, l)| Step::ListPut(k, l)),
        2 => key.clone().prop_map(Step::ListClear),
        8 => (key.clone(), 0..40_u8, len).prop_map(|(k, u, l)| Step::MapPut(k % 3, u, l)),
        4 => (key.clone(), 0..40_u8).prop_map(|(k, u)| Step::MapRemove(k % 3, u)),
        1 => key.clone().prop_map(|k| Step::MapClear(k % 3)),
        2 => (key.clone(), any::<u8>()).prop_map(|(k, s)| Step::MapIterate(k % 3, s)),
        6 => any::<u8>().prop_map(Step::TimerAdd),
        2 => any::<u8>().prop_map(Step::TimerRemove),
        2 => Just(Step::TimerPoll),
        4 => Just(Step::Maintain),
        3 => (0..3_u8).prop_map(Step::Checkpoint),
        4 => any::<(bool, bool)>().prop_map(|(w, c)| Step::Finish { write: w || c, complete: c }),
        1 => Just(Step::Savepoint),
        1 => Just(Step::Restore),
    ];
    proptest::collection::vec(step, 1..160)
}

/// A written checkpoint: what it must contain and how to read it.
#[derive(Clone)]
struct Written {
    model: Model,
    durable: Durable,
}

/// What a checkpoint consists of, besides its files.
#[derive(Clone)]
enum Durable {
    Chain(Vec<u8>),
    Table(Table),
}

impl Durable {
    /// Numbers of the files that it needs.
    fn files(&self) -> Vec<i64> {
        match self {
            Self::Chain(chain) => {
                let segments = sf_testkit::parse_chain(chain).into_iter();
                segments.map(|(number, _)| number).collect()
            }
            Self::Table(table) => table.files.iter().map(|file| file.number).collect(),
        }
    }
}

/// What the checkpoints of a store are, and how much memory it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Segments,
    Tables,
    /// Tables, with so little memory that most rows are in files.
    Spilling,
}

struct History {
    form: Form,
    db: Driver,
    model: Model,
    files: BTreeMap<i64, Vec<u8>>,
    in_flight: Vec<(i64, Snapshot, Model)>,
    completed: Option<Written>,
    next_id: i64,
    stamp: u8,
    restored: bool,
}

fn kg(key: u8) -> i32 {
    i32::from(key) % KEY_GROUPS
}

fn register(db: &Driver) {
    let kinds = [
        (Kind::Value, "v"),
        (Kind::List, "l"),
        (Kind::Map, "m"),
        (Kind::Timer, "t"),
    ];
    for (number, (kind, name)) in kinds.into_iter().enumerate() {
        assert_eq!(db.register(kind, name), number as i32);
    }
}

fn prefix(key: u8) -> Vec<u8> {
    vec![key; 1 + key as usize % 20]
}

/// An empty store. As a table its files end with each key group, and are written again all the time.
fn store(form: Form, range: (i32, i32)) -> Driver {
    let limit = match form {
        Form::Spilling => SPILLING_BUDGET,
        _ => 64 << 20,
    };
    let db = Driver::with_range(limit, KEY_GROUPS, range, 4096);
    if form != Form::Segments {
        db.keep_places(2, 1, 1 << 20, 40, 3);
    }
    if form == Form::Spilling {
        db.spill_to(&std::env::temp_dir());
    }
    register(&db);
    db
}

impl History {
    fn new(form: Form) -> Self {
        Self {
            db: store(form, (0, KEY_GROUPS - 1)),
            form,
            model: Model::default(),
            files: BTreeMap::new(),
            in_flight: Vec::new(),
            completed: None,
            next_id: 1,
            stamp: 0,
            restored: false,
        }
    }

    fn bytes(&mut self, len: u16) -> Vec<u8> {
        self.stamp = self.stamp.wrapping_add(1);
        vec![self.stamp; len as usize]
    }

    fn play(&mut self, step: &Step) {
        let (db, model) = (&self.db, &mut self.model);
        match *step {
            Step::Put(k, len) => {
                let value = self.bytes(len);
                self.db.put(VALUE, kg(k), &prefix(k), &value);
                self.model.values(VALUE, kg(k)).insert(prefix(k), value);
            }
            Step::Remove(k) => {
                let was = model.values(VALUE, kg(k)).remove(&prefix(k)).is_some();
                assert_eq!(db.remove(VALUE, kg(k), &prefix(k)), was);
            }
            Step::ListAdd(k, len) => {
                let element = self.bytes(len + 1);
                self.db.list_add(LIST, kg(k), &prefix(k), &element);
                self.model.list_add(LIST, kg(k), &prefix(k), &element);
            }
            Step::ListPut(k, len) => {
                let joined = self.bytes(len + 1);
                self.db.list_put(LIST, kg(k), &prefix(k), &joined);
                self.model.lists(LIST, kg(k)).insert(prefix(k), joined);
            }
            Step::ListClear(k) => {
                db.list_clear(LIST, kg(k), &prefix(k));
                model.lists(LIST, kg(k)).remove(&prefix(k));
            }
            Step::MapPut(k, user_key, len) => {
                let value = self.bytes(len);
                self.db.map_put(MAP, kg(k), &prefix(k), &[user_key], &value);
                self.model
                    .map_set(MAP, kg(k), &prefix(k), &[user_key], Some(&value));
            }
            Step::MapRemove(k, user_key) => {
                let was = model.map_set(MAP, kg(k), &prefix(k), &[user_key], None);
                assert_eq!(db.map_remove(MAP, kg(k), &prefix(k), &[user_key]), was);
            }
            Step::MapClear(k) => {
                db.map_clear(MAP, kg(k), &prefix(k));
                model.maps(MAP, kg(k)).remove(&prefix(k));
            }
            Step::MapIterate(k, seed) => self.iterate_and_remove(k, seed),
            Step::TimerAdd(t) => {
                let timer = vec![t, 1, 2, 3, 4, 5, 6, 7, t % 3];
                let new = model.timers(TIMER, kg(t)).insert(timer.clone());
                let status = db.timer_add(TIMER, kg(t), &timer);
                assert_eq!(status > 0, new);
                if status == 2 {
                    assert_eq!(db.timer_peek(TIMER).map(|head| head[0]), Some(t));
                }
            }
            Step::TimerRemove(t) => {
                let timer = vec![t, 1, 2, 3, 4, 5, 6, 7, t % 3];
                let was = model.timers(TIMER, kg(t)).remove(&timer);
                assert_eq!(db.timer_remove(TIMER, kg(t), &timer) > 0, was);
            }
            Step::TimerPoll => {
                let first = (0..KEY_GROUPS)
                    .filter_map(|g| model.timers(TIMER, g).first().cloned())
                    .min();
                let polled = db.timer_poll(TIMER);
                assert_eq!(polled, first);
                if let Some(timer) = polled {
                    model.timers(TIMER, kg(timer[0])).remove(&timer);
                }
            }
            Step::Maintain => drop(db.maintain(0)),
            Step::Checkpoint(compression) => {
                let whole = self.next_id % 11 == 0;
                let (mode, compression) = match (self.form != Form::Segments, whole) {
                    (false, whole) => (if whole { 3 } else { 0 }, compression),
                    (true, whole) => (if whole { 7 } else { 5 }, [0, 2, 3][compression as usize]),
                };
                let snapshot = db.snapshot(self.next_id, mode, i32::from(compression), i64::MIN);
                self.in_flight.push((self.next_id, snapshot, model.clone()));
                self.next_id += 1;
            }
            Step::Finish { write, complete } => self.finish(write, complete),
            Step::Savepoint => {
                let snapshot = db.snapshot(-1, 2, 0, i64::MIN);
                let rows = snapshot.canonical(64);
                assert!(rows.is_sorted_by_key(|row| (row.0, row.1)));
                let mut rows = rows;
                rows.sort();
                assert_eq!(rows, model.rows());
            }
            Step::Restore => {
                if let Some(written) = self.completed.clone() {
                    self.go_on_from(written);
                }
            }
        }
    }

    /// Iterates a map in small pages, removing and replacing between them.
    fn iterate_and_remove(&mut self, k: u8, seed: u8) {
        let before = self
            .model
            .maps(MAP, kg(k))
            .get(&prefix(k))
            .cloned()
            .unwrap_or_default();
        assert_eq!(
            self.db.map_size(MAP, kg(k), &prefix(k)),
            before.len() as i32
        );
        let (mut cursor, mut seen) = (0, Vec::new());
        while cursor >= 0 {
            let (next, entries) = self.db.map_page(MAP, kg(k), &prefix(k), cursor, 100);
            for (user_key, value) in entries {
                assert!(before.contains(&(user_key.clone(), value)));
                if user_key[0].wrapping_add(seed) % 2 == 0 {
                    self.play(&Step::MapRemove(k, user_key[0]));
                }
                seen.push(user_key);
            }
            cursor = next;
        }
        let mut expected: Vec<_> = before.into_iter().map(|(key, _)| key).collect();
        if self.restored {
            // The order of insertion is not kept in checkpoints.
            seen.sort();
            expected.sort();
        }
        assert_eq!(seen, expected);
    }

    /// Ends the oldest snapshot in flight: reads it (it must show what was), then completes or aborts it.
    fn finish(&mut self, write: bool, complete: bool) {
        if self.in_flight.is_empty() {
            return;
        }
        let (id, snapshot, model) = self.in_flight.remove(0);
        let mut durable = Durable::Chain(Vec::new());
        if write && self.form != Form::Segments {
            let (new, table) = snapshot.table();
            for (number, file) in new {
                let known = self.files.insert(number, file);
                assert!(known.is_none(), "data file {number} was there");
            }
            durable = Durable::Table(table);
        } else if write {
            let file = snapshot.segment();
            let (number, description) = snapshot.describe();
            assert_eq!(number < 0, file.is_empty());
            if number >= 0 {
                assert!(
                    self.files.insert(number, file).is_none(),
                    "segment {number} was there"
                );
            }
            durable = Durable::Chain(description);
        }
        drop(snapshot);
        let written = Written { model, durable };
        if write {
            self.check_restore(&written);
        }
        if complete {
            self.db.complete(id);
            self.completed = Some(written);
        } else {
            self.db.abort(id);
        }
    }

    /// Restores into fresh stores, whole and in two parts.
    fn check_restore(&self, written: &Written) {
        for ranges in [vec![(0, 2)], vec![(0, 0), (1, 2)]] {
            let mut rows = Vec::new();
            for range in ranges {
                let db = store(self.form, range);
                self.restore(&db, written, range, false);
                rows.extend(db.snapshot(1, 2, 0, i64::MIN).canonical(1 << 16));
            }
            rows.sort();
            assert_eq!(rows, written.model.rows());
        }
    }

    fn restore(&self, db: &Driver, written: &Written, range: (i32, i32), go_on: bool) {
        let (ids, files) = ([0, 1, 2, 3], &self.files);
        match &written.durable {
            Durable::Chain(chain) => db.restore(&ids, chain, files, range, go_on),
            Durable::Table(table) => db.restore_table(&ids, table, files, range, go_on),
        }
        .expect("restores");
    }

    /// A failover: everything since the checkpoint is lost, in-flight ones too.
    fn go_on_from(&mut self, written: Written) {
        self.in_flight.clear();
        let db = store(self.form, (0, 2));
        self.restore(&db, &written, (0, 2), true);
        self.db = db;
        self.restored = true;
        self.model = written.model;
        // Files of attempts that were not confirmed are gone with them.
        let kept = written.durable.files();
        self.files.retain(|number, _| kept.contains(number));
    }

    fn check_all(&mut self) {
        for k in 0..24 {
            let (group, key) = (kg(k), prefix(k));
            assert_eq!(
                self.db.get(VALUE, group, &key),
                self.model.values(VALUE, group).get(&key).cloned()
            );
            assert_eq!(
                self.db.list_get(LIST, group, &key),
                self.model.lists(LIST, group).get(&key).cloned()
            );
        }
        for group in 0..KEY_GROUPS {
            let keys: Vec<_> = self.model.lists(LIST, group).keys().cloned().collect();
            assert_eq!(self.db.keys(LIST, group, 40), keys);
            let prefixes: Vec<_> = self.model.maps(MAP, group).keys().cloned().collect();
            assert_eq!(self.db.keys(MAP, group, 40), prefixes);
            let lists: Vec<_> = self.model.lists(LIST, group).clone().into_iter().collect();
            let rows = self.db.rows(LIST, group, 64);
            assert_eq!(
                rows.into_iter().map(|(k, _, v)| (k, v)).collect::<Vec<_>>(),
                lists
            );
        }
        self.play(&Step::Savepoint);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("SF_MODEL_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
    ))]

    #[test]
    fn histories_agree_with_the_model(
        steps in steps(),
        form in prop_oneof![Just(Form::Segments), Just(Form::Tables), Just(Form::Spilling)],
    ) {
        let mut history = History::new(form);
        for step in &steps {
            history.play(step);
        }
        while !history.in_flight.is_empty() {
            history.finish(true, false);
        }
        history.check_all();
    }
}
