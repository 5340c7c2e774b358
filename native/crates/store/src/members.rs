//! The rows that belong to one `[key][namespace]` of a map or list, in the order of their insertion.

use crate::table::Ref;

/// `(sequence, record reference)`; reference zero: removed.
type Member = (u32, Ref);

/// Heap bytes of a list that has not grown.
pub(crate) const FIRST_HEAP_BYTES: usize = 32;

/// Members in ascending sequence. A cursor is a sequence number, so it survives every change.
#[derive(Debug, Default)]
pub(crate) struct MemberList {
    pub(crate) prefix_hash: u32,
    /// Where the first living member is; its copy spares readers of one member the array's cache miss.
    first: u32,
    first_member: Member,
    live: u32,
    next_seq: u32,
    members: Vec<Member>,
}

impl MemberList {
    /// A list that has room for one member.
    pub(crate) fn new(prefix_hash: u32) -> Self {
        Self {
            prefix_hash,
            members: Vec::with_capacity(1),
            ..Self::default()
        }
    }

    pub(crate) fn live(&self) -> u32 {
        self.live
    }

    pub(crate) fn next_seq(&self) -> u32 {
        self.next_seq
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        allocation(self.members.capacity())
    }

    /// Heap bytes after the next growth.
    pub(crate) fn grown_bytes(&self) -> usize {
        allocation((self.members.capacity() * 2).max(2))
    }

    /// Whether a member can be pushed without growth.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.members.len() < self.members.capacity() && self.next_seq < u32::MAX
    }

    /// Makes room: drops removed members if half are, else doubles. The caller has charged for it.
    /// When the sequence numbers run out, `renumbered` is told each member's new one.
    pub(crate) fn grow(&mut self, mut renumbered: impl FnMut(Ref, u32)) {
        if self.next_seq == u32::MAX {
            self.drop_removed();
            for (seq, member) in self.members.iter_mut().enumerate() {
                member.0 = seq as u32;
                renumbered(member.1, member.0);
            }
            self.next_seq = self.live;
            self.first_is(0);
        }
        if self.members.len() as u32 >= 2 * self.live.max(1) {
            self.drop_removed();
        }
        if self.members.len() == self.members.capacity() {
            self.members.reserve_exact(self.members.capacity().max(1));
        }
    }

    fn drop_removed(&mut self) {
        self.members.retain(|member| member.1 != 0);
        self.first_is(0);
    }

    /// The first living member is at this place, or none is and the place is the end.
    fn first_is(&mut self, at: u32) {
        self.first = at;
        self.first_member = self.members.get(at as usize).copied().unwrap_or_default();
    }

    /// Adds a member under the next sequence number; there must be room.
    #[inline]
    pub(crate) fn push(&mut self, reference: Ref) -> u32 {
        let seq = self.next_seq;
        self.insert_at_end(seq, reference);
        seq
    }

    fn insert_at_end(&mut self, seq: u32, reference: Ref) {
        debug_assert!(self.has_room());
        self.members.push((seq, reference));
        self.live += 1;
        if self.live == 1 {
            self.first_is(self.members.len() as u32 - 1);
        }
        self.next_seq = self.next_seq.max(seq + 1);
    }

    /// Puts a member at a given sequence (rows that are loaded come in any order); there must be room.
    pub(crate) fn insert(&mut self, seq: u32, reference: Ref) {
        match self.members.binary_search_by_key(&seq, |member| member.0) {
            Ok(at) => {
                self.live += u32::from(self.members[at].1 == 0);
                self.members[at].1 = reference;
                self.first_is(self.first.min(at as u32));
            }
            Err(at) if at == self.members.len() => self.insert_at_end(seq, reference),
            Err(at) => {
                self.members.insert(at, (seq, reference));
                self.live += 1;
                self.first_is(self.first.min(at as u32));
            }
        }
    }

    /// The member with this sequence.
    pub(crate) fn get(&self, seq: u32) -> Option<Ref> {
        let at = self
            .members
            .binary_search_by_key(&seq, |member| member.0)
            .ok()?;
        Some(self.members[at].1).filter(|reference| *reference != 0)
    }

    /// Lets a member refer to another record.
    #[inline]
    pub(crate) fn set(&mut self, seq: u32, reference: Ref) {
        let at = match self.members.last() {
            Some(last) if last.0 == seq => self.members.len() - 1,
            _ => match self.members.binary_search_by_key(&seq, |member| member.0) {
                Ok(at) => at,
                Err(_) => return,
            },
        };
        self.members[at].1 = reference;
        if at == self.first as usize {
            self.first_member.1 = reference;
        }
    }

    /// Removes a member.
    pub(crate) fn remove(&mut self, seq: u32) {
        let Ok(at) = self.members.binary_search_by_key(&seq, |member| member.0) else {
            return;
        };
        if self.members[at].1 == 0 {
            return;
        }
        self.members[at].1 = 0;
        self.live -= 1;
        while self.members.last().is_some_and(|member| member.1 == 0) {
            self.members.pop();
        }
        let mut first = self.first as usize;
        while self.members.get(first).is_some_and(|member| member.1 == 0) {
            first += 1;
        }
        self.first_is(first.min(self.members.len()) as u32);
        if self.members.len() > 64 && self.members.len() / 4 > self.live as usize {
            // As much work as was done by the removals since the last time.
            self.drop_removed();
        }
    }

    /// The oldest member.
    #[inline]
    pub(crate) fn first(&self) -> Option<Ref> {
        (self.live > 0).then_some(self.first_member.1)
    }

    /// The newest member.
    #[inline]
    pub(crate) fn last(&self) -> Option<Member> {
        match self.live {
            1 => Some(self.first_member),
            _ => self.members.last().copied(),
        }
    }

    /// Members from sequence `from` on, oldest first; removed ones (reference zero) among them.
    #[inline]
    pub(crate) fn slice_from(&self, from: u32) -> &[Member] {
        match (self.live, from) {
            (1, 0) => std::slice::from_ref(&self.first_member),
            (_, 0) => &self.members[self.first as usize..],
            _ => &self.members[self.members.partition_point(|member| member.0 < from)..],
        }
    }

    /// Members from sequence `from` on, oldest first.
    #[inline]
    pub(crate) fn from(&self, from: u32) -> impl Iterator<Item = Member> + Clone + '_ {
        self.slice_from(from)
            .iter()
            .copied()
            .filter(|member| member.1 != 0)
    }
}

/// What the allocator really takes for that many members.
fn allocation(members: usize) -> usize {
    (members * size_of::<Member>() + 8)
        .next_multiple_of(16)
        .max(FIRST_HEAP_BYTES)
}
