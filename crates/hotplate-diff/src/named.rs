//! Enumerations whose names in reports and options are part of the interface.

/// Declares an enumeration with a name for each variant, all variants in order (`ALL`) and the name of one (`name`). The name is also
/// that of the data.
macro_rules! named {
    ($(#[$attribute:meta])* pub enum $Enum:ident {
        $($(#[$of_variant:meta])* $variant:ident = $name:literal,)*
    }) => {
        $(#[$attribute])*
        pub enum $Enum {
            $($(#[$of_variant])* #[serde(rename = $name)] $variant,)*
        }

        impl $Enum {
            /// All of them, in order.
            pub const ALL: [$Enum; [$($name),*].len()] = [$($Enum::$variant),*];

            /// The name in options and reports.
            pub fn name(self) -> &'static str {
                match self {
                    $($Enum::$variant => $name,)*
                }
            }
        }
    };
}

pub(super) use named;
