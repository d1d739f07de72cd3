//! The table against the two schemas, and what single resources become.

mod adoption;
mod objects;
mod table;
