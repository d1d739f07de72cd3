//! Which findings about a template only repeat others.

use source_diagnostics::{CauseTable, Code};

/// The table of `check`, and of every command that reports what evaluation finds.
pub const CAUSES: CauseTable = CauseTable { at_place: CONSEQUENCES, around: &[] };

/// The structural errors for which Heat refuses a template.
const TEMPLATE_ERRORS: &[Code] = &[
    heat_template::codes::UNKNOWN_SECTION,
    heat_template::codes::SECTION_SHAPE,
    heat_template::codes::UNKNOWN_KEY,
    heat_template::codes::MISSING_KEY,
    heat_template::codes::VALUE_SHAPE,
    heat_template::codes::UNKNOWN_PARAMETER_TYPE,
    heat_template::codes::NO_CONSTRAINT,
    heat_template::codes::DELETION_POLICY_UNKNOWN,
    heat_template::codes::FUNCTION_ARGUMENTS,
    heat_template::codes::FUNCTION_REMOVED,
    heat_template::codes::FUNCTION_IN_CONDITION,
];

/// The reasons why the template of a resource cannot be read.
pub const UNREADABLE_TEMPLATE: &[Code] = &[
    source_files::codes::FILE_NOT_FOUND,
    source_files::codes::FILE_UNREADABLE,
    source_diagnostics::codes::FILE_TOO_LARGE,
    source_files::codes::FOLDER_NOT_FILE,
    heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS,
    heat_engine::codes::URL_NOT_FETCHED,
    heat_engine::codes::NESTING_CYCLE,
    heat_template::codes::UNKNOWN_VERSION,
    heat_template::codes::AMBIGUOUS_VERSION,
    heat_template::codes::VERSION_NOT_TEXT,
    heat_engine::codes::NESTED_NOT_FOLLOWED,
    heat_engine::codes::UNKNOWN_RESOURCE_TYPE,
];

/// Each code with the codes that cause it where both concern the same span.
const CONSEQUENCES: &[(Code, &[Code])] = &[
    (heat_engine::codes::PARAMETER_REFUSED, TEMPLATE_ERRORS),
    (heat_engine::codes::NO_VALUE, TEMPLATE_ERRORS),
    (heat_template::codes::UNKNOWN_REFERENCE, &[heat_engine::codes::NO_VALUE]),
    // What a function that fails or does not exist returns is not judged.
    (crate::codes::PROPERTY_TYPE, &[heat_engine::codes::NO_VALUE]),
    (crate::codes::PROPERTY_TYPE, TEMPLATE_ERRORS),
    (crate::codes::PROPERTY_CONSTRAINT, &[heat_engine::codes::NO_VALUE]),
    (crate::codes::PROPERTY_CONSTRAINT, TEMPLATE_ERRORS),
    (crate::codes::UNKNOWN_PROPERTY, &[heat_engine::codes::NO_VALUE]),
    (crate::codes::UNKNOWN_PROPERTY, TEMPLATE_ERRORS),
    (heat_engine::codes::NESTED_NOT_FOLLOWED, UNREADABLE_TEMPLATE),
];
