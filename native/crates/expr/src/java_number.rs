//! Numbers as Java writes and reads them.

/// As `Double.toString` and `Float.toString` of JDK 19 and later.
pub(crate) trait Text {
    fn write(self, out: &mut Vec<u8>);
    /// Digits without trailing zeros (one at least) and the exponent of the last; of a finite number's magnitude.
    fn shortest(self) -> (String, i32);
}

macro_rules! text {
    ($($t:ty),*) => {$(
        impl Text for $t {
            fn write(self, out: &mut Vec<u8>) {
                if self.is_nan() {
                    out.extend_from_slice(b"NaN");
                    return;
                }
                if self.is_sign_negative() {
                    out.push(b'-');
                }
                if self.is_infinite() {
                    out.extend_from_slice(b"Infinity");
                } else if self == 0.0 {
                    out.extend_from_slice(b"0.0");
                } else {
                    let (digits, last) = self.shortest();
                    layout(&digits, last + digits.len() as i32 - 1, out);
                }
            }

            fn shortest(self) -> (String, i32) {
                let magnitude = self.abs();
                let mut text = format!("{magnitude:e}");
                if !text.contains('.') {
                    // Java takes the best of two digits where one would do; that matters for the least numbers only.
                    let two = format!("{magnitude:.1e}");
                    if two.parse() == Ok(magnitude) {
                        text = two;
                    }
                }
                let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let exponent: i32 = exponent.parse().unwrap_or(0);
                let digits = mantissa.replace('.', "");
                let fraction = digits.len() as i32 - 1;
                let kept = digits.trim_end_matches('0');
                let kept = if kept.is_empty() { "0" } else { kept };
                let cut = (digits.len() - kept.len()) as i32;
                (kept.to_owned(), exponent - fraction + cut)
            }
        }
    )*};
}

text!(f32, f64);

/// Digits whose first stands for `10^exponent`.
fn layout(digits: &str, exponent: i32, out: &mut Vec<u8>) {
    let digits = digits.as_bytes();
    match exponent {
        0..7 => {
            let whole = exponent as usize + 1;
            let split = whole.min(digits.len());
            out.extend_from_slice(&digits[..split]);
            out.resize(out.len() + whole - split, b'0');
            out.push(b'.');
            fraction(&digits[split..], out);
        }
        -3..0 => {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + (-exponent - 1) as usize, b'0');
            out.extend_from_slice(digits);
        }
        _ => {
            out.push(digits[0]);
            out.push(b'.');
            fraction(&digits[1..], out);
            out.extend_from_slice(format!("E{exponent}").as_bytes());
        }
    }
}

fn fraction(digits: &[u8], out: &mut Vec<u8>) {
    if digits.is_empty() {
        out.push(b'0');
    } else {
        out.extend_from_slice(digits);
    }
}

/// What `Double.parseDouble` reads, as a text that Rust's parser reads the same; `None` where Java throws.
pub(crate) fn readable(text: &str) -> Option<String> {
    let text = text.trim_matches(|c| c <= ' ');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { "-" } else { "" };
    match unsigned {
        "NaN" => return Some("NaN".to_owned()),
        "Infinity" => return Some(format!("{sign}inf")),
        _ => {}
    }
    let number = unsigned.strip_suffix(['f', 'F', 'd', 'D']);
    let number = number.unwrap_or(unsigned);
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (number, None),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !digits(whole) || !digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    if let Some(exponent) = exponent {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || !digits(exponent) {
            return None;
        }
    }
    Some(format!("{sign}{number}"))
}

/// Whether this is a hexadecimal number of Java, which nothing here reads.
pub(crate) fn is_hexadecimal(text: &str) -> bool {
    let text = text.trim_matches(|c| c <= ' ');
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    text.starts_with("0x") || text.starts_with("0X")
}
