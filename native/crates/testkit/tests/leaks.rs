//! Alone in its process, because it reads process-wide counters.

use sf_testkit::{Driver, Kind};
use streamfusion::status::{sf_charged_bytes, sf_live_handles};

#[test]
fn nothing_is_left_when_all_is_freed_in_any_order() {
    for store_first in [true, false] {
        let db = Driver::new(1 << 20, 2, 0);
        let state = db.register(Kind::Value, "v");
        (0..1000_i32).for_each(|row| db.put(state, row % 2, &row.to_be_bytes(), &[1; 50]));
        let snapshot = db.snapshot(1, 2, 0, i64::MIN);
        assert_eq!(sf_live_handles(), 3);
        if store_first {
            drop(db);
            assert!(sf_charged_bytes() > 50_000, "the snapshot pins its rows");
            assert_eq!(snapshot.canonical(1 << 16).len(), 1000);
            drop(snapshot);
        } else {
            drop(snapshot);
            drop(db);
        }
        assert_eq!((sf_live_handles(), sf_charged_bytes()), (0, 0));
    }
}
