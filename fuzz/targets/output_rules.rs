//! How output is cut makes no difference to what rules and a preset see in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retry::http_headers::HttpHeaders;
use retry::lines::Lines;
use retry::output_rules::OutputRules;
use retry::preset::{Hearing, Listener, PRESETS};

fuzz_target!(|given: (u8, u8, &str, &[u8])| {
    let (size, preset, expression, output) = given;
    let own = |text: &str| vec![text.to_owned()];
    // A repetition in a repetition may take as long as the expression says.
    if expression.len() > 32 || expression.contains('{') {
        return;
    }
    let Ok(rules) = OutputRules::new(&own(expression), &own("fatal"), &own("^done$")) else { return };
    let preset = PRESETS[usize::from(preset) % PRESETS.len()];
    let see = |size: usize| {
        let (mut facts, mut listener, mut headers) = (rules.begin(), Listener::new(preset), HttpHeaders::new());
        let mut look = |line: &[u8]| {
            rules.line(&mut facts, line);
            listener.stderr_line(line);
            headers.line(line);
        };
        let mut lines = Lines::new();
        for mut rest in output.chunks(size) {
            while !rest.is_empty() {
                rest = lines.feed(rest, &mut look);
            }
        }
        lines.finish(&mut look);
        let said: Vec<_> = (0..=255).map(|status| listener.judge(status, None, Hearing::WHOLE)).collect();
        (facts, said, headers.into_last())
    };
    assert_eq!(see(usize::from(size) + 1), see(output.len() + 1));
});
