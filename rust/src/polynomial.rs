//! The hash of long tokens: a polynomial whose value follows from those of the parts.
//!
//! No Python twin: there every token is stored in full.

/// A prime: all is modulo this.
pub const PRIME: u64 = (1 << 61) - 1;

/// The polynomial with the bytes as coefficients (none of them 0) at `base`.
pub fn polynomial(bytes: &[u8], base: u64) -> u64 {
    bytes.iter().fold(0, |hash, &byte| (multiply(hash, base) + u64::from(byte) + 1) % PRIME)
}

/// The product of two numbers below [`PRIME`], modulo it.
pub fn multiply(x: u64, y: u64) -> u64 {
    let product = u128::from(x) * u128::from(y);
    ((product >> 61) as u64 + (product as u64 & PRIME)) % PRIME
}

/// A number below [`PRIME`] to a power, modulo it.
pub fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        exponent /= 2;
    }
    result
}
