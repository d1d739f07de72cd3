//! The CFN dialect as Heat understands it: raising the neutral model to its two formats.

mod raise;
mod said;

pub use raise::{Raised, Spelling, Surroundings, is_call, raise, spelling};
pub use said::{Said, SaidKind, SaidPair, Unsaid, What};
