//! Puts the SHA-256 of the committed C header into the library, so that `sf_abi_fingerprint` can
//! say at load time which header the library was built against.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::Path;

fn main() {
    // Asked when it runs: one target folder may serve several clones.
    let crate_dir = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let header = Path::new(&crate_dir).join("../../../ffi-bindings/src/main/c/streamfusion.h");
    println!("cargo:rerun-if-changed={}", header.display());
    let bytes = std::fs::read(&header)
        .unwrap_or_else(|e| panic!("{}: {e}; bin/bindgen writes this header", header.display()));
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(&bytes) {
        let _ = write!(hex, "{byte:02x}");
    }
    println!("cargo:rustc-env=SF_HEADER_SHA256={hex}");
}
