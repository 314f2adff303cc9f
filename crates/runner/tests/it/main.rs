//! Tests of the `padwise` command, one module per topic. They are one program, because linking each one takes seconds.

mod analyze;
mod analyze_input;
mod analyze_seconds;
mod bench;
mod common;
mod export;
mod figures;
mod help;
mod hostile_input;
mod interrupted;
mod learning;
mod own_data;
mod prepare;
mod prepare_audio;
mod prepare_damage;
mod recorded;
mod report;
mod run;
mod run_config;
mod run_disk;
mod run_identity;
mod run_limits;
mod run_resume;
mod run_verification;
mod structure;
