//! `digest`: the hexadecimal digest of a string, with the algorithms of Python's `hashlib`.
//!
//! Heat's rule: `docs/heat.md#digest`.

use std::fmt::Write;

use blake2::{Blake2b512, Blake2s256};
use md5::Md5;
use python_semantics::ExceptionClass;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use sm3::Sm3;

use crate::eval::{PythonException, Value};

/// In which letter case an algorithm may be named. Heat lowers the name only to check that it exists.
#[derive(Clone, Copy, PartialEq)]
enum NameCase {
    Any,
    AllLowerOrAllUpper,
    Lower,
}

type Hash = fn(&[u8]) -> String;

/// Every algorithm of Python 3.11 with OpenSSL 3. `None`: the digest has no fixed length, and Heat
/// passes none.
const ALGORITHMS: &[(&str, NameCase, Option<Hash>)] = &[
    ("blake2b", NameCase::Lower, Some(hash::<Blake2b512>)),
    ("blake2s", NameCase::Lower, Some(hash::<Blake2s256>)),
    ("md5", NameCase::Any, Some(hash::<Md5>)),
    ("md5-sha1", NameCase::Any, Some(md5_sha1)),
    ("ripemd160", NameCase::Any, Some(hash::<Ripemd160>)),
    ("sha1", NameCase::Any, Some(hash::<Sha1>)),
    ("sha224", NameCase::Any, Some(hash::<Sha224>)),
    ("sha256", NameCase::Any, Some(hash::<Sha256>)),
    ("sha384", NameCase::Any, Some(hash::<Sha384>)),
    ("sha512", NameCase::Any, Some(hash::<Sha512>)),
    ("sha512_224", NameCase::AllLowerOrAllUpper, Some(hash::<Sha512_224>)),
    ("sha512_256", NameCase::AllLowerOrAllUpper, Some(hash::<Sha512_256>)),
    ("sha3_224", NameCase::Lower, Some(hash::<Sha3_224>)),
    ("sha3_256", NameCase::Lower, Some(hash::<Sha3_256>)),
    ("sha3_384", NameCase::Lower, Some(hash::<Sha3_384>)),
    ("sha3_512", NameCase::Lower, Some(hash::<Sha3_512>)),
    ("shake_128", NameCase::Lower, None),
    ("shake_256", NameCase::Lower, None),
    ("sm3", NameCase::Any, Some(hash::<Sm3>)),
];

/// The digest for a list of an algorithm and a text.
pub(in crate::eval) fn digest(argument: &Value) -> Result<Value, PythonException> {
    let strings =
        || PythonException::type_error("Argument to function \"digest\" must be a list of strings");
    let Value::List(items) = argument else { return Err(strings()) };
    let mut texts = Vec::with_capacity(items.len());
    for item in items.iter() {
        let Value::Text(text) = item else { return Err(strings()) };
        texts.push(text);
    }
    let [name, text] = texts.as_slice() else {
        return Err(PythonException::value_error(
            "Function \"digest\" usage: [\"<algorithm>\", \"<value>\"]",
        ));
    };
    let lower = name.to_lowercase();
    let Some((_, letters, hash)) = ALGORITHMS.iter().find(|(known, _, _)| *known == lower) else {
        let names: Vec<&str> = ALGORITHMS.iter().map(|(name, _, _)| *name).collect();
        let message = format!("Algorithm must be one of {}", names.join(", "));
        return Err(PythonException::value_error(message));
    };
    let well_named = match letters {
        NameCase::Any => true,
        NameCase::AllLowerOrAllUpper => {
            name.as_str() == lower || name.as_str() == name.to_uppercase()
        }
        NameCase::Lower => name.as_str() == lower,
    };
    if !well_named {
        return Err(PythonException::value_error(format!("unsupported hash type {name}")));
    }
    let Some(bytes) = latin_1(text) else {
        let message = "'latin-1' codec can't encode a character: ordinal not in range(256)";
        return Err(PythonException::new(ExceptionClass::UnicodeEncodeError, message));
    };
    match hash {
        Some(hash) => Ok(Value::text(hash(&bytes))),
        None => {
            let message = "hexdigest() missing required argument 'length' (pos 1)";
            Err(PythonException::type_error(message))
        }
    }
}

fn latin_1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

fn hash<D: sha2::Digest>(bytes: &[u8]) -> String {
    hexadecimal(&D::digest(bytes))
}

fn md5_sha1(bytes: &[u8]) -> String {
    hash::<Md5>(bytes) + &hash::<Sha1>(bytes)
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::ErrorClass;

    fn call(name: &str, text: &str) -> Result<Value, ErrorClass> {
        let list = Value::list(vec![Value::text(name), Value::text(text)]);
        digest(&list).map_err(|problem| problem.class)
    }

    #[test]
    fn texts_are_latin_1() {
        assert_eq!(call("MD5", "é"), Ok(Value::text("3406877694691ddd1dfb0aca54681407")));
        assert_eq!(call("md5", "abc"), Ok(Value::text("900150983cd24fb0d6963f7d28e17f72")));
        assert_eq!(call("sha256", "€"), Err(ExceptionClass::UnicodeEncodeError.into()));
    }

    #[test]
    fn names_in_other_letters() {
        assert!(call("Sha256", "").is_ok());
        assert_eq!(call("SHA3_256", ""), Err(ExceptionClass::ValueError.into()));
        assert_eq!(call("shake_128", ""), Err(ExceptionClass::TypeError.into()));
        assert_eq!(call("crc32", ""), Err(ExceptionClass::ValueError.into()));
    }
}
