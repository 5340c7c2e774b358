use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Bytes charged to all budgets of this process; a leak check reads it after each test.
static CHARGED: AtomicI64 = AtomicI64::new(0);

/// Bytes charged to all budgets of this process.
pub fn charged_bytes() -> i64 {
    CHARGED.load(Ordering::Relaxed)
}

/// The native memory that the backends of one slot may use together.
///
/// Only counters: whoever allocates takes a [`Charge`] first and keeps it as long as the memory.
/// All methods may be called from any thread.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: AtomicI64,
    used: AtomicI64,
}

impl MemoryBudget {
    /// A budget of `limit` bytes.
    pub fn new(limit: i64) -> Arc<Self> {
        Arc::new(Self {
            limit: AtomicI64::new(limit),
            used: AtomicI64::new(0),
        })
    }

    /// Bytes that may be charged.
    pub fn limit(&self) -> i64 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Changes the limit; what is charged already stays charged.
    pub fn set_limit(&self, limit: i64) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// Bytes that are charged.
    pub fn used(&self) -> i64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Charges `bytes` unless that would pass the limit.
    pub fn try_charge(self: &Arc<Self>, bytes: usize) -> Option<Charge> {
        self.try_charge_leaving(bytes, 0)
    }

    /// Charges `bytes` unless that would leave less than `reserve` below the limit.
    pub fn try_charge_leaving(self: &Arc<Self>, bytes: usize, reserve: i64) -> Option<Charge> {
        let bytes = i64::try_from(bytes).ok()?;
        let limit = self.limit() - reserve;
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|sum| *sum <= limit)
            })
            .ok()?;
        CHARGED.fetch_add(bytes, Ordering::Relaxed);
        Some(Charge {
            budget: Arc::clone(self),
            bytes,
        })
    }

    /// Charges `bytes` whatever the limit; for tombstones, which must not fail.
    pub fn charge_overdraft(self: &Arc<Self>, bytes: usize) -> Charge {
        self.used.fetch_add(bytes as i64, Ordering::Relaxed);
        CHARGED.fetch_add(bytes as i64, Ordering::Relaxed);
        Charge {
            budget: Arc::clone(self),
            bytes: bytes as i64,
        }
    }
}

/// Bytes taken from a budget; given back on drop.
#[derive(Debug)]
pub struct Charge {
    budget: Arc<MemoryBudget>,
    bytes: i64,
}

impl Charge {
    /// A charge of nothing.
    pub fn none(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            budget: Arc::clone(budget),
            bytes: 0,
        }
    }

    /// How much is taken.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// Takes over another charge of the same budget.
    pub fn absorb(&mut self, mut other: Charge) {
        debug_assert!(Arc::ptr_eq(&self.budget, &other.budget));
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Gives back all but `bytes`.
    pub fn shrink_to(&mut self, bytes: usize) {
        let surplus = self.bytes - bytes as i64;
        if surplus > 0 {
            self.bytes -= surplus;
            self.release(surplus);
        }
    }

    fn release(&self, bytes: i64) {
        self.budget.used.fetch_sub(bytes, Ordering::Relaxed);
        CHARGED.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.release(self.bytes);
    }
}
