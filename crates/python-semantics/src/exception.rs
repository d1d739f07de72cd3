//! The classes of Python's exceptions.

/// An enum of exception classes. A class whose name in Python is not the variant's is followed by `= "name"`.
///
/// ```
/// python_semantics::exception_classes! {
///     /// The exceptions of a queue.
///     pub enum QueueExceptionClass {
///         /// Nothing is waiting.
///         Empty,
///         /// A job with this name is waiting.
///         DuplicateJob = "Duplicate",
///     }
/// }
///
/// assert_eq!(QueueExceptionClass::DuplicateJob.name(), "Duplicate");
/// assert_eq!(QueueExceptionClass::from_name("Empty"), Some(QueueExceptionClass::Empty));
/// assert_eq!(QueueExceptionClass::from_name("DuplicateJob"), None);
/// ```
#[macro_export]
macro_rules! exception_classes {
    (
        $(#[$enum_doc:meta])*
        pub enum $class:ident { $($(#[$doc:meta])* $variant:ident $(= $name:literal)?,)* }
    ) => {
        $(#[$enum_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $class {
            $($(#[$doc])* $variant,)*
        }

        impl $class {
            /// All classes, in the order of their declaration.
            pub const ALL: &'static [$class] = &[$($class::$variant),*];

            /// The name in Python, without the module.
            pub const fn name(self) -> &'static str {
                match self {
                    $($class::$variant => $crate::exception_classes!(@name $variant $($name)?),)*
                }
            }

            /// The class with this name in Python.
            pub fn from_name(name: &str) -> Option<$class> {
                Self::ALL.iter().copied().find(|class| class.name() == name)
            }
        }
    };
    (@name $variant:ident) => { stringify!($variant) };
    (@name $variant:ident $name:literal) => { $name };
}

exception_classes! {
    /// The class of an exception that Python or one of its libraries raises.
    pub enum ExceptionClass {
        /// A value of the right type that is not valid.
        ValueError,
        /// A value of the wrong type.
        TypeError,
        /// A key that a `dict` does not have.
        KeyError,
        /// An index out of range.
        IndexError,
        /// An attribute that a type does not have.
        AttributeError,
        /// An assertion that fails.
        AssertionError,
        /// The end of an iterator.
        StopIteration,
        /// An unexpected state at run time, such as a generator that ends with `StopIteration`.
        RuntimeError,
        /// An error of the operating system.
        OSError,
        /// An internal error of the interpreter.
        SystemError,
        /// A number that is out of range.
        OverflowError,
        /// A division by zero.
        ZeroDivisionError,
        /// Too much memory or too many steps. Limits may be lower than Python's.
        MemoryError,
        /// Calls that are nested too deeply.
        RecursionError,
        /// Bytes that are not valid in an encoding.
        UnicodeDecodeError,
        /// Text with a character that an encoding does not have.
        UnicodeEncodeError,
        /// `re`: a regular expression that is not valid.
        PatternError = "error",
        /// `decimal`: a number with more digits than the precision allows.
        InvalidOperation,
        /// `dateutil`: a date that cannot be parsed.
        ParserError,
        /// `yaql`: no function has this name.
        NoFunctionRegisteredException,
        /// `yaql`: no method has this name.
        NoMethodRegisteredException,
        /// `yaql`: no function of this name accepts these arguments.
        NoMatchingFunctionException,
        /// `yaql`: no method of this name accepts these arguments.
        NoMatchingMethodException,
        /// `yaql`: more than one function of this name accepts these arguments.
        AmbiguousFunctionException,
        /// `yaql`: more than one method of this name accepts these arguments.
        AmbiguousMethodException,
        /// `yaql`: an argument that a function does not accept.
        ArgumentException,
        /// `yaql`: a pair whose left side names no argument.
        MappingTranslationException,
        /// `yaql`: a collection with more items than allowed.
        CollectionTooLargeException,
        /// `yaql`: a value that needs more memory than allowed.
        MemoryQuotaExceededException,
        /// `yaql`: characters that form no token.
        YaqlLexicalException,
        /// `yaql`: tokens that form no expression.
        YaqlGrammarException,
    }
}

impl ExceptionClass {
    /// Whether it is `ValueError` or a subclass.
    pub const fn is_value_error(self) -> bool {
        matches!(
            self,
            ExceptionClass::ValueError
                | ExceptionClass::UnicodeDecodeError
                | ExceptionClass::UnicodeEncodeError
                | ExceptionClass::ParserError
        )
    }
}

#[cfg(test)]
mod tests {
    use super::ExceptionClass;

    #[test]
    fn names_are_unique() {
        for class in ExceptionClass::ALL {
            assert_eq!(ExceptionClass::from_name(class.name()), Some(*class));
        }
        assert_eq!(ExceptionClass::PatternError.name(), "error");
        assert_eq!(ExceptionClass::from_name("PatternError"), None);
    }
}
