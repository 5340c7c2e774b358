use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

/// Bytes charged to all budgets of this process; a leak check reads it after each test.
static CHARGED: AtomicI64 = AtomicI64::new(0);

/// Bytes charged to all budgets of this process.
pub fn charged_bytes() -> i64 {
    CHARGED.load(Ordering::Relaxed)
}

/// Of what a store of a fair share is kept even while it does not ask for memory: one part in so many.
const IDLE_PART: i64 = 4;
/// Greatest overdraft of a store that came when the others had taken everything.
const GREATEST_OVERDRAFT: i64 = 32 << 20;

/// The native memory that the backends of one slot may use together.
///
/// Only counters: whoever allocates takes a [`Charge`] first and keeps it as long as the memory.
/// All methods may be called from any thread.
///
/// Stores that can do with less memory take a [`MemoryBudget::share`] each. One may use what the others do not claim: a
/// store claims its fair share once a charge of it was refused, a part of that before.
#[derive(Debug)]
pub struct MemoryBudget {
    slot: Arc<Slot>,
    own: Arc<Usage>,
}

#[derive(Debug)]
struct Slot {
    limit: AtomicI64,
    used: AtomicI64,
    shares: RwLock<Vec<Arc<Usage>>>,
}

/// What was charged through one [`MemoryBudget`].
#[derive(Debug, Default)]
struct Usage {
    used: AtomicI64,
    refused: AtomicBool,
}

impl MemoryBudget {
    /// A budget of `limit` bytes.
    pub fn new(limit: i64) -> Arc<Self> {
        Arc::new(Self {
            slot: Arc::new(Slot {
                limit: AtomicI64::new(limit),
                used: AtomicI64::new(0),
                shares: RwLock::default(),
            }),
            own: Arc::default(),
        })
    }

    /// The same budget for one more store, which leaves the other shares what they claim. The share ends with the result.
    pub fn share(&self) -> Arc<Self> {
        let own = Arc::<Usage>::default();
        self.shares_for_change().push(Arc::clone(&own));
        Arc::new(Self {
            slot: Arc::clone(&self.slot),
            own,
        })
    }

    fn shares_for_change(&self) -> RwLockWriteGuard<'_, Vec<Arc<Usage>>> {
        let shares = self.slot.shares.write();
        shares.unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that may be charged.
    pub fn limit(&self) -> i64 {
        self.slot.limit.load(Ordering::Relaxed)
    }

    /// Changes the limit; what is charged already stays charged.
    pub fn set_limit(&self, limit: i64) {
        self.slot.limit.store(limit, Ordering::Relaxed);
    }

    /// Bytes that are charged, by all stores of the slot.
    pub fn used(&self) -> i64 {
        self.slot.used.load(Ordering::Relaxed)
    }

    /// Charges `bytes` unless that would pass the limit.
    pub fn try_charge(self: &Arc<Self>, bytes: usize) -> Option<Charge> {
        self.try_charge_leaving(bytes, 0)
    }

    /// Charges `bytes` unless that would leave less than `reserve` below the limit.
    pub fn try_charge_leaving(self: &Arc<Self>, bytes: usize, reserve: i64) -> Option<Charge> {
        let bytes = i64::try_from(bytes).ok()?;
        let limit = self.limit() - reserve - self.claims_of_others();
        let update = self
            .slot
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|sum| *sum <= limit)
            });
        if update.is_err() {
            self.own.refused.store(true, Ordering::Relaxed);
            return None;
        }
        Some(self.charged(bytes))
    }

    /// Charges `bytes` whatever the limit; for tombstones, which must not fail.
    pub fn charge_overdraft(self: &Arc<Self>, bytes: usize) -> Charge {
        self.slot.used.fetch_add(bytes as i64, Ordering::Relaxed);
        self.charged(bytes as i64)
    }

    /// Whether this share has less than the others must leave it. They will, when they next need memory.
    pub fn is_owed(&self) -> bool {
        let shares = self.slot.shares.read();
        let count = shares.unwrap_or_else(PoisonError::into_inner).len() as i64;
        let least = self.limit() / (count.max(1) * IDLE_PART);
        count > 1 && self.own.used.load(Ordering::Relaxed) < least.min(GREATEST_OVERDRAFT)
    }

    /// What the other shares may still take, although it is free.
    fn claims_of_others(&self) -> i64 {
        let shares = self.slot.shares.read();
        let shares = shares.unwrap_or_else(PoisonError::into_inner);
        if !shares.iter().any(|usage| Arc::ptr_eq(usage, &self.own)) {
            return 0;
        }
        let fair = self.limit() / shares.len() as i64;
        let others = shares.iter().filter(|usage| !Arc::ptr_eq(usage, &self.own));
        others.map(|usage| usage.claim(fair)).sum()
    }

    fn charged(self: &Arc<Self>, bytes: i64) -> Charge {
        self.own.used.fetch_add(bytes, Ordering::Relaxed);
        CHARGED.fetch_add(bytes, Ordering::Relaxed);
        Charge {
            budget: Arc::clone(self),
            bytes,
        }
    }
}

impl Drop for MemoryBudget {
    fn drop(&mut self) {
        self.shares_for_change()
            .retain(|usage| !Arc::ptr_eq(usage, &self.own));
    }
}

impl Usage {
    /// Bytes that are not used but kept free for this share.
    fn claim(&self, fair: i64) -> i64 {
        let part = match self.refused.load(Ordering::Relaxed) {
            true => fair,
            false => fair / IDLE_PART,
        };
        (part - self.used.load(Ordering::Relaxed)).max(0)
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
        self.budget.slot.used.fetch_sub(bytes, Ordering::Relaxed);
        self.budget.own.used.fetch_sub(bytes, Ordering::Relaxed);
        CHARGED.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.release(self.bytes);
    }
}
