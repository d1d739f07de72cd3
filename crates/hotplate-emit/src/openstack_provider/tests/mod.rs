//! Compares the table with the two schemas, and tests the objects of single resources.

mod adoption;
mod objects;
mod table;
