//! Models: plain collections that do what the store must do.

mod model;

pub use model::{Model, ModelState};
