//! The instruction that does the work, with its 128 registers of sums named one by one: generated rather than typed.

use std::fmt::Write;
use std::sync::OnceLock;

use super::Element;

/// The source of the product with the instruction before it. Written once and kept for as long as the program runs, as the other
/// kernels' source is.
pub(super) fn with_source(element: Element) -> &'static [&'static str] {
    static F16: OnceLock<[&str; 2]> = OnceLock::new();
    static BF16: OnceLock<[&str; 2]> = OnceLock::new();
    let kept = match element {
        Element::F16 => &F16,
        Element::Bf16 => &BF16,
    };
    kept.get_or_init(|| {
        [
            String::leak(wgmma(element)),
            include_str!("../../kernels/product.cu"),
        ]
    })
}

/// `wgmma`: adds the product of 64 rows, 256 columns and 16 of K to the sums.
fn wgmma(element: Element) -> String {
    let list = |item: &dyn Fn(usize) -> String| (0..128).map(item).collect::<Vec<_>>().join(",");
    let kind = match element {
        Element::F16 => "f16",
        Element::Bf16 => "bf16",
    };
    let mut text = String::from(
        "__device__ __forceinline__ void wgmma(float (&c)[128], unsigned long long a, unsigned long long b, int accumulate) {\n",
    );
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "  asm volatile(\"{{\\n.reg .pred p;\\nsetp.ne.b32 p,%130,0;\\n\
         wgmma.mma_async.sync.aligned.m64n256k16.f32.{kind}.{kind} {{{}}},%128,%129,p,1,1,%131,%132;\\n}}\"\n    : {}\n    \
         : \"l\"(a), \"l\"(b), \"r\"(accumulate), \"n\"(A_MN), \"n\"(B_MN));\n}}\n",
        list(&|index| format!("%{index}")),
        list(&|index| format!("\"+f\"(c[{index}])")),
    );
    text
}
