//! The resource types that hold nothing but a text.

/// A type that stores a text for servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextResource {
    /// `OS::Heat::SoftwareConfig`
    SoftwareConfig,
    /// `OS::Heat::CloudConfig`
    CloudConfig,
    /// `OS::Heat::MultipartMime`
    MultipartMime,
}

impl TextResource {
    /// The form of this type; `None` for any other type.
    pub(crate) fn of(kind: &str) -> Option<Self> {
        match kind {
            "OS::Heat::SoftwareConfig" => Some(TextResource::SoftwareConfig),
            "OS::Heat::CloudConfig" => Some(TextResource::CloudConfig),
            "OS::Heat::MultipartMime" => Some(TextResource::MultipartMime),
            _ => None,
        }
    }

    /// The property that the text is made from.
    pub(crate) fn property(self) -> &'static str {
        match self {
            TextResource::SoftwareConfig => "config",
            TextResource::CloudConfig => "cloud_config",
            TextResource::MultipartMime => "parts",
        }
    }
}
