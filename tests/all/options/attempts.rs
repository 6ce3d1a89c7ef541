//! How often, after which delays, for how long.

use super::{delays, record, run};
use crate::harness::Place;

#[test]
pub fn max_tries_bounds_the_attempts() {
    let place = Place::new();
    run(&place, &["--max-tries", "2"], "echo x; exit 9").run().is(9, "x\nx\n", "");
    run(&place, &[], "echo x; exit 9").run().is(9, &"x\n".repeat(6), "");
    run(&place, &["-n", "unlimited"], "echo x; test $RETRY_ATTEMPT = 9").run().is(0, &"x\n".repeat(9), "");
}

#[test]
pub fn base_scales_the_delays() {
    assert_eq!(delays(&["-n4", "--jitter=none", "--base", "1ms"]), [2, 4, 8]);
    assert_eq!(delays(&["-n4", "--jitter=none", "--base", "0.003"]), [6, 12, 24]);
}

#[test]
pub fn cap_bounds_the_delays() {
    assert_eq!(delays(&["-n5", "--jitter=none", "--base=1ms", "--cap", "5ms"]), [2, 4, 5, 5]);
}

#[test]
pub fn factor_makes_the_delays_grow() {
    assert_eq!(delays(&["-n4", "--jitter=none", "--base=1ms", "--factor", "3"]), [3, 9, 27]);
}

#[test]
pub fn backoff_shapes_the_delays() {
    assert_eq!(delays(&["-n4", "--jitter=none", "--base=2ms", "--backoff", "linear"]), [2, 4, 6]);
    assert_eq!(delays(&["-n4", "--jitter=none", "--base=2ms", "--backoff", "constant"]), [2, 2, 2]);
}

#[test]
pub fn delays_are_waited_as_they_stand() {
    assert_eq!(delays(&["-n5", "--delays", "1ms,7ms,3ms", "--cap=2ms"]), [1, 7, 3, 3]);
}

#[test]
pub fn jitter_draws_the_delays() {
    let base = ["-n6", "--base=8ms"];
    let with = |jitter: &str| delays(&[&base[..], &["--jitter", jitter]].concat());
    assert_eq!(with("none"), [16, 32, 64, 128, 256]);
    // Five draws of an equal jitter are below half the ceiling never, those of full jitter all above once in 32 runs:
    // the seed takes the chance out.
    let seeded = |jitter: &str| delays(&[&base[..], &["--seed=3", "--jitter", jitter]].concat());
    assert!(seeded("equal").iter().zip([8, 16, 32, 64, 128]).all(|(delay, half)| *delay >= half));
    assert!(seeded("full").iter().zip([8, 16, 32, 64, 128]).any(|(delay, half)| *delay < half));
    assert!(seeded("decorrelated").iter().all(|delay| *delay >= 8));
}

#[test]
pub fn splay_waits_before_the_first_attempt() {
    let place = Place::new();
    let splay = ["-n1", "--dead-letter=l", "--splay", "20ms", "--seed", "1", "-qq", "false"];
    place.retry(splay).run().is(1, "", "");
    let waited = record(&place, "l")["retry"]["waited_ms"].as_u64();
    assert!(waited > Some(0), "{waited:?}");
}

#[test]
pub fn max_elapsed_begins_no_attempt_after_it() {
    let place = Place::new();
    let options = ["--max-elapsed", "59m", "--delays", "1h", "--dead-letter", "l", "-qq", "sh", "-c", "echo x; exit 3"];
    place.retry(options).run().is(3, "x\n", "");
    assert_eq!(record(&place, "l")["retry"]["ending"], "deadline");
}

#[test]
pub fn reset_after_starts_the_count_anew() {
    let place = Place::new();
    let script = "echo x; sleep .02; test $RETRY_ATTEMPT = 4";
    run(&place, &["-n2", "--reset-after", "10ms"], script).run().is(0, "x\nx\nx\nx\n", "");
    run(&place, &["-n2"], script).run().is(1, "x\nx\n", "");
}

#[test]
pub fn seed_makes_a_run_take_the_delays_that_the_plan_shows() {
    let options = ["-n6", "--base=1ms", "--seed", "20"];
    let planned = Place::new().retry(options.iter().chain(&["--plan=json"])).run();
    assert_eq!((planned.code(), planned.err().as_str()), (0, ""));
    let plan: serde_json::Value = serde_json::from_str(&planned.out()).expect("a plan is JSON");
    let attempts = plan["attempts"].as_array().expect("attempts").clone();
    let planned: Vec<u64> = attempts.iter().filter_map(|attempt| attempt["delay_ms"].as_u64()).collect();
    assert_eq!(delays(&options), planned);
    assert_eq!(planned.len(), 5);
}

#[test]
pub fn plan_prints_the_schedule_and_runs_nothing() {
    let place = Place::new();
    let text = place.retry(["-n", "3", "--plan", "touch", "ran"]).run();
    assert_eq!((text.code(), text.err().as_str()), (0, ""));
    assert!(text.out().contains("6 s"), "{}", text.out());
    let json = place.retry(["-n", "3", "--plan=json"]).run();
    json.gives(
        0,
        "{\"attempts\":[{\"attempt\":1,\"ceiling_ms\":2000,\"mean_ms\":1000,\"worst_ms\":2000},\
         {\"attempt\":2,\"ceiling_ms\":4000,\"mean_ms\":2000,\"worst_ms\":6000},{\"attempt\":3,\"worst_ms\":6000}],\
         \"worst_total_ms\":6000,\"mean_total_ms\":3000,\"cut\":false,\"fit\":3}\n",
    );
    assert!(!place.file("ran").exists());
}
