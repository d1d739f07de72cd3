//! Random numbers as Python's module `random` generates them: the Mersenne twister MT19937.

use std::cell::RefCell;

use num_bigint::BigUint;

/// The number of words in the state, and the distance of words that are mixed.
const WORDS: usize = 624;
const DISTANCE: usize = 397;

/// The random numbers of an evaluation, which are unknown without a seed.
#[derive(Debug)]
pub(crate) struct Random {
    seed: Option<u64>,
    /// Created on first use.
    twister: RefCell<Option<Box<Twister>>>,
}

impl Random {
    pub(crate) fn new(seed: Option<u64>) -> Self {
        Random { seed, twister: RefCell::new(None) }
    }

    /// `random.random()`: 53 random bits, below 1.
    pub(super) fn float(&self) -> Option<f64> {
        self.with(|twister| {
            let (high, low) = (twister.next() >> 5, twister.next() >> 6);
            (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
        })
    }

    /// A number below a bound other than 0: bits are drawn until they are below it.
    pub(super) fn below(&self, bound: &BigUint) -> Option<BigUint> {
        self.with(|twister| {
            loop {
                let drawn = twister.bits(bound.bits());
                if drawn < *bound {
                    return drawn;
                }
            }
        })
    }

    fn with<T>(&self, draw: impl FnOnce(&mut Twister) -> T) -> Option<T> {
        let seed = self.seed?;
        let mut twister = self.twister.borrow_mut();
        Some(draw(twister.get_or_insert_with(|| Box::new(Twister::new(seed)))))
    }
}

#[derive(Debug)]
struct Twister {
    words: [u32; WORDS],
    /// The number of words that have been drawn.
    drawn: usize,
}

impl Twister {
    /// `init_by_array` with the words of the seed, the low one first.
    fn new(seed: u64) -> Self {
        #[allow(clippy::cast_possible_truncation)]
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        let key: &[u32] = if high == 0 { &[low] } else { &[low, high] };
        let mut words = [0; WORDS];
        words[0] = 19_650_218_u32;
        for (at, plus) in (1..WORDS).zip(1_u32..) {
            words[at] = mixed(words[at - 1], 1_812_433_253).wrapping_add(plus);
        }
        let mut at = 1;
        let mut step = |at: &mut usize, factor, plus: &dyn Fn(u32, u32) -> u32| {
            let here = u32::try_from(*at).unwrap_or(0);
            words[*at] = plus(words[*at] ^ mixed(words[*at - 1], factor), here);
            *at += 1;
            if *at == WORDS {
                words[0] = words[WORDS - 1];
                *at = 1;
            }
        };
        for (position, &word) in (0_u32..).zip(key.iter().cycle().take(WORDS)) {
            let position = position % u32::try_from(key.len()).unwrap_or(1);
            step(&mut at, 1_664_525, &|mixed, _| mixed.wrapping_add(word).wrapping_add(position));
        }
        for _ in 1..WORDS {
            step(&mut at, 1_566_083_941, &u32::wrapping_sub);
        }
        words[0] = 0x8000_0000;
        Twister { words, drawn: WORDS }
    }

    /// The next 32 random bits.
    fn next(&mut self) -> u32 {
        if self.drawn == WORDS {
            self.twist();
        }
        let mut word = self.words[self.drawn];
        self.drawn += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// A number of random bits, the low words first.
    fn bits(&mut self, bits: u64) -> BigUint {
        let mut words = Vec::new();
        let mut left = bits;
        while left > 0 {
            let word = self.next();
            words.push(if left < 32 { word >> (32 - left) } else { word });
            left = left.saturating_sub(32);
        }
        BigUint::new(words)
    }

    fn twist(&mut self) {
        for at in 0..WORDS {
            let next = self.words[(at + 1) % WORDS];
            let bits = (self.words[at] & 0x8000_0000) | (next & 0x7fff_ffff);
            let odd = if next & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[at] = self.words[(at + DISTANCE) % WORDS] ^ (bits >> 1) ^ odd;
        }
        self.drawn = 0;
    }
}

/// Mixes a word with its own high bits.
fn mixed(word: u32, factor: u32) -> u32 {
    (word ^ (word >> 30)).wrapping_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_pythons() {
        for (seed, float, below) in [
            (0, 0.8444218515250481, "33321113934853222010955844780"),
            (1, 0.13436424411240122, "139740622202148299605049174751"),
            (42, 0.6394267984578837, "259474555368124611114247330513"),
            (4294967296, 0.11299430095636409, "1321238376981372177734882566"),
            (18446744073709551615, 0.021825695401270107, "571390932128627199934315981376"),
            (123456789012345, 0.6744750084019356, "968551684286764859182139439851"),
        ] {
            let random = Random::new(Some(seed));
            assert_eq!(random.float(), Some(float), "{seed}");
            let bound = BigUint::from(10_u32).pow(30);
            assert_eq!(
                random.below(&bound).map(|number| number.to_string()).as_deref(),
                Some(below)
            );
        }
    }

    #[test]
    fn the_state_is_renewed() {
        let random = Random::new(Some(42));
        let last = std::iter::repeat_with(|| random.float()).take(1000).last();
        assert_eq!(last, Some(Some(0.8554501933059546)));
    }

    #[test]
    fn nothing_is_known_without_a_seed() {
        assert_eq!(Random::new(None).float(), None);
    }
}
