use crate::RowGroupBytes;

fn fill(memory: &mut RowGroupBytes, len: usize, with: u8) -> *const u8 {
    let room = memory.room(len).unwrap();
    assert_eq!(room.len(), len);
    room.fill(with);
    room.as_ptr()
}

#[test]
fn memory_is_used_again_when_nobody_reads_it() {
    let mut memory = RowGroupBytes::default();
    assert!(memory.bytes().is_empty());
    let first = fill(&mut memory, 100_000, 1);
    assert_eq!(memory.bytes(), vec![1; 100_000]);
    assert_eq!(memory.bytes().as_ptr(), first);
    assert_eq!(fill(&mut memory, 10, 2), first);
    assert_eq!(memory.bytes(), vec![2; 10]);
    assert!(memory.room(0).unwrap().is_empty());
    assert!(memory.bytes().is_empty());
}

#[test]
fn bytes_that_are_still_read_do_not_change() {
    let mut memory = RowGroupBytes::default();
    fill(&mut memory, 1000, 1);
    let read = memory.bytes();
    let second = fill(&mut memory, 1000, 2);
    assert_ne!(read.as_ptr(), second);
    assert_eq!(read, vec![1; 1000]);
    assert_eq!(memory.bytes(), vec![2; 1000]);
}

#[test]
fn the_memory_of_a_huge_row_is_not_kept() {
    let mut memory = RowGroupBytes::default();
    fill(&mut memory, 20 << 20, 1);
    fill(&mut memory, 1 << 20, 2);
    assert_eq!(memory.capacity(), 1 << 20);
}
