//! The probing sequence of CPython's sets.

/// The number of slots of the smallest table.
pub(super) const SMALLEST: usize = 8;
/// The number of neighboring slots that are tried before the next jump.
const LINEAR_PROBES: usize = 9;

/// The endless sequence of slots at which a hash is looked up.
pub(super) struct Probes {
    mask: usize,
    at: usize,
    perturb: usize,
    left: usize,
    next: usize,
}

impl Probes {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "hashes are bits")]
    pub(super) fn new(hash: i64, mask: usize) -> Self {
        let bits = hash as usize;
        let mut probes = Probes { mask, at: bits & mask, perturb: bits, left: 0, next: 0 };
        probes.begin();
        probes
    }

    fn begin(&mut self) {
        self.next = self.at;
        self.left = if self.at + LINEAR_PROBES <= self.mask { LINEAR_PROBES + 1 } else { 1 };
    }

    pub(super) fn next(&mut self) -> usize {
        if self.left == 0 {
            self.perturb >>= 5;
            let jump = self.at.wrapping_mul(5).wrapping_add(1).wrapping_add(self.perturb);
            self.at = jump & self.mask;
            self.begin();
        }
        self.left -= 1;
        self.next += 1;
        self.next - 1
    }
}
