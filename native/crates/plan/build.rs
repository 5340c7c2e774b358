//! Generates the messages from `proto/plan.proto`, without protoc.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto/plan.proto");
    let files = protox::compile(["proto/plan.proto"], ["proto"])?;
    prost_build::Config::new().compile_fds(files)?;
    Ok(())
}
