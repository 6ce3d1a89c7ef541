//! Standard input, output and error of attempts, through the real program. Contract S1 to S17.

mod bounds;
mod broken_input;
mod final_output;
mod input;
mod letters;
mod on_failure;
mod output;
mod stalled;
