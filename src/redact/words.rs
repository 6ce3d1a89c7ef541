//! The words that tell by a name that what stands under it is a secret. Contract D13.

/// Words that make a name a secret's where they stand between its hyphens, underscores, dots or capitals.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "token",
    "secret",
    "apikey",
    "auth",
    "authorization",
    "credential",
    "bearer",
    "session",
    "sessionid",
    "cookie",
    "signature",
    "sig",
];

/// Pairs of such words.
const PAIRS: &[(&str, &str)] = &[("api", "key"), ("private", "key")];

/// A word that counts only as the last of several: `DB_PASS`, `--http-pass`, but neither `pass-through` nor `PASS: 3`.
const LAST: &str = "pass";

/// Words that also count at the end of a longer one: `PGPASSWORD`, `authtoken`, `-Hcookie:`.
const ENDINGS: &[&str] =
    &["password", "passwd", "passphrase", "token", "apikey", "privatekey", "authorization", "cookie"];

/// Whether a name, such as `db-password`, `API_KEY`, `accessToken` or `X-Auth-Token`, is one of a secret; `author` is none.
pub fn is_secret_name(name: &str) -> bool {
    let words: Vec<String> = split(name);
    let is_pair = |pair: &[String]| PAIRS.iter().any(|(first, second)| pair[0] == *first && pair[1] == *second);
    let is_word = |word: &String| WORDS.contains(&word.as_str()) || ENDINGS.iter().any(|end| word.ends_with(end));
    words.iter().any(is_word) || words.windows(2).any(is_pair) || (words.len() > 1 && words[words.len() - 1] == LAST)
}

/// Whether the value of such a header is several words: `Authorization: Bearer x`, `Cookie: a=b; c=d`.
pub fn is_long_header(name: &str) -> bool {
    split(name).iter().any(|word| word.ends_with("authorization") || word.ends_with("cookie"))
}

/// The words of a name in lower case, split at every character that is no letter or digit and at capitals (`dbPassword`,
/// `APIKey`), without a plural's `s` and without a number at the end.
fn split(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = i.checked_sub(1).map(|before| chars[before]);
        let after = chars.get(i + 1);
        let begins = c.is_ascii_uppercase()
            && before.is_some_and(|before| {
                !before.is_ascii_uppercase() || after.is_some_and(|after| after.is_ascii_lowercase())
            });
        if begins {
            words.push(String::new());
        }
        words.last_mut().expect("it begins with one word").push(c.to_ascii_lowercase());
    }
    let trim = |word: String| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        word.strip_suffix('s').filter(|one| !one.ends_with('s')).unwrap_or(word).to_string()
    };
    words.into_iter().filter(|word| !word.is_empty()).map(trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_by_their_words() {
        for name in [
            "password",
            "--db-password",
            "DB_PASSWORD",
            "dbPassword",
            "PGPASSWORD",
            "passwd",
            "API_KEY",
            "api-key",
            "apiKey",
            "APIKey",
            "X-Api-Key",
            "apikey",
            "AWS_SECRET_ACCESS_KEY",
            "privateKey",
            "private_key",
            "accessToken",
            "authtoken",
            "GITHUB_TOKEN",
            "X-Auth-Token",
            "auth",
            "Authorization",
            "-HAuthorization",
            "Proxy-Authorization",
            "credentials",
            "bearer",
            "Set-Cookie",
            "session_id",
            "sessionid",
            "MYSQL_PWD",
            "token2",
            "spring.datasource.password",
            "user[password]",
            "tokens",
            "password-stdin",
            "HTTPAuth",
            "dbPWD",
            "X-Amz-Signature",
            "SharedAccessSignature",
            "sig",
            "DB_PASS",
            "--http-pass",
            "smtp.pass",
            "privatekey",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for name in [
            "author",
            "--author",
            "authority",
            "key",
            "keyboard",
            "tokenize",
            "secretary",
            "api",
            "passive",
            "",
            "-",
            "pass-through",
            "monkey",
            "AUTHOR",
            "key-api",
            "compass",
            "api-gateway",
            "foreign-key",
            "PASS",
            "sigma",
            "--signal",
            "signed",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
