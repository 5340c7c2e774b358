use sf_batch::Batch;
use sf_core::Result;
use sf_store::Store;

/// A native operator of one task. It owns no state: each call that needs some is given the store, which belongs to the
/// task's keyed backend. Called by the task thread only.
pub trait Operator: Send {
    /// Tells the time of Flink's TTL clock, in milliseconds, before a call that may read or write state that expires.
    fn set_time(&mut self, millis: i64) {
        let _ = millis;
    }

    /// Takes one batch of an input (0 or 1); what comes out at once, possibly no row.
    fn process(&mut self, store: Option<&mut Store>, input: usize, batch: Batch) -> Result<Batch>;

    /// Gives what the operator holds back (bundles): before a barrier, a watermark that ends a bundle, and at the end.
    fn flush(&mut self, store: Option<&mut Store>) -> Result<Option<Batch>> {
        let _ = store;
        Ok(None)
    }
}
