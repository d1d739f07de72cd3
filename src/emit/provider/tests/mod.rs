//! The table against the two schemas, and what single resources become.

mod objects;
mod table;
