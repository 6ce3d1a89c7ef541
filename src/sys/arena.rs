//! Memory for a short life: what is small comes from one block that is never given back.
//!
//! A run that succeeds at once lives for less than a millisecond. The C library would map and unmap a page for each size of
//! allocation, eight times and more; a block in the program's own zero pages costs a page fault where it is used and
//! nothing else. What does not fit goes to the system, so a run of months is served as it would be without.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How much the block holds, in bytes.
const ROOM: usize = 128 << 10;
/// What is larger than this goes to the system.
const SMALL: usize = 8 << 10;

/// The block, to be a program's global allocator.
#[derive(Debug)]
pub struct Arena {
    room: UnsafeCell<[MaybeUninit<u8>; ROOM]>,
    /// How much of it is taken.
    used: AtomicUsize,
}

// SAFETY: each byte of the room belongs to one allocation; as one atomic exchange settles.
unsafe impl Sync for Arena {}

impl Arena {
    /// An arena of which nothing is taken.
    #[allow(clippy::new_without_default, reason = "a static needs a constant one")]
    pub const fn new() -> Arena {
        Arena { room: UnsafeCell::new([const { MaybeUninit::uninit() }; ROOM]), used: AtomicUsize::new(0) }
    }

    fn base(&self) -> *mut u8 {
        self.room.get().cast()
    }

    /// Where in the room a pointer stands; `None` if it is the system's.
    fn offset(&self, at: *mut u8) -> Option<usize> {
        at.addr().checked_sub(self.base().addr()).filter(|offset| *offset < ROOM)
    }

    /// Takes room for this; `None` if there is none.
    #[inline(never)]
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        if layout.size() > SMALL {
            return None;
        }
        let base = self.base().addr();
        let mut used = self.used.load(Relaxed);
        loop {
            let start = (base + used).next_multiple_of(layout.align()) - base;
            let end = start.checked_add(layout.size()).filter(|end| *end <= ROOM)?;
            match self.used.compare_exchange_weak(used, end, Relaxed, Relaxed) {
                // SAFETY: `start` is within the room.
                Ok(_) => return Some(unsafe { self.base().add(start) }),
                Err(now) => used = now,
            }
        }
    }

    /// Makes the last allocation end elsewhere; false if it is not the last, or there is no room.
    fn resize_last(&self, start: usize, old: usize, new: usize) -> bool {
        start + new <= ROOM && self.used.compare_exchange(start + old, start + new, Relaxed, Relaxed).is_ok()
    }
}

// SAFETY: blocks are aligned, apart from each other, and live until they are given back.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout is passed on.
        self.take(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(block) => {
                // SAFETY: the block has this size. It may have been used before.
                unsafe { ptr::write_bytes(block, 0, layout.size()) };
                block
            }
            // SAFETY: the caller's layout is passed on.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match self.offset(block) {
            Some(start) => {
                self.resize_last(start, layout.size(), 0);
            }
            // SAFETY: the block came from the system, with this layout.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(start) = self.offset(block) else {
            // SAFETY: the block came from the system, with this layout.
            return unsafe { System.realloc(block, layout, size) };
        };
        if self.resize_last(start, layout.size(), size) {
            return block;
        }
        // SAFETY: the new block is apart from the old one, both are at least as long as what is copied, and the caller promises
        // that the new size is valid for the alignment.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(block, new, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A block that a test holds, filled with its own byte.
    struct Held {
        block: *mut u8,
        layout: Layout,
        fill: u8,
    }

    impl Held {
        fn is_whole(&self, size: usize) -> bool {
            // SAFETY: the block was filled over its size.
            unsafe { std::slice::from_raw_parts(self.block, size) }.iter().all(|byte| *byte == self.fill)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn blocks_are_aligned_and_keep_what_is_written_to_them(
            steps in proptest::collection::vec((0u8..4, 1usize..12_000, 0u32..7, any::<usize>()), 1..60),
        ) {
            let arena = Box::new(Arena::new());
            let mut held: Vec<Held> = Vec::new();
            for (i, (what, size, align, which)) in steps.into_iter().enumerate() {
                let layout = Layout::from_size_align(size, 1 << align).unwrap();
                // SAFETY: every block is used and given back with the layout it was asked for.
                unsafe {
                    match (what, held.is_empty()) {
                        (0, _) | (_, true) => {
                            let block = arena.alloc(layout);
                            block.write_bytes(i as u8, size);
                            held.push(Held { block, layout, fill: i as u8 });
                        }
                        (1, false) => {
                            let block = arena.alloc_zeroed(layout);
                            prop_assert!(std::slice::from_raw_parts(block, size).iter().all(|byte| *byte == 0));
                            held.push(Held { block, layout, fill: 0 });
                        }
                        (2, false) => {
                            let old = held.swap_remove(which % held.len());
                            prop_assert!(old.is_whole(old.layout.size()));
                            arena.dealloc(old.block, old.layout);
                        }
                        (_, false) => {
                            let at = which % held.len();
                            let old = &mut held[at];
                            let (was, fill) = (old.layout.size(), old.fill);
                            old.block = arena.realloc(old.block, old.layout, size);
                            prop_assert!(old.is_whole(was.min(size)));
                            old.layout = Layout::from_size_align(size, old.layout.align()).unwrap();
                            old.block.write_bytes(fill, size);
                        }
                    }
                }
                for one in &held {
                    prop_assert_eq!(one.block.addr() % one.layout.align(), 0);
                    prop_assert!(one.is_whole(one.layout.size()));
                }
            }
            for one in held {
                // SAFETY: as above.
                unsafe { arena.dealloc(one.block, one.layout) };
            }
        }
    }
}
