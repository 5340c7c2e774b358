//! `abi-header CRATE_DIR OUT`: writes the C header of the crate in `CRATE_DIR` to the file `OUT`.
//!
//! cbindgen reads the sources only; nothing of the crate is compiled, so a header can be written
//! (and compared) on any machine with cargo.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [crate_dir, out] = args.as_slice() else {
        eprintln!("usage: abi-header CRATE_DIR OUT");
        return ExitCode::from(2);
    };
    match write_header(Path::new(crate_dir), Path::new(out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("abi-header: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write_header(crate_dir: &Path, out: &Path) -> Result<(), String> {
    let config = cbindgen::Config::from_file(crate_dir.join("cbindgen.toml"))?;
    // The sources are parsed from the crate's root on: asking cargo for the crate would need its
    // dependencies, which a header does not.
    let builder = cbindgen::Builder::new()
        .with_config(config)
        .with_src(crate_dir.join("src").join("lib.rs"));
    let bindings = builder.generate().map_err(|e| e.to_string())?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    std::fs::write(out, header).map_err(|e| format!("{}: {e}", out.display()))
}
