//! Generated code for the `wgmma` instruction, whose 128 accumulator registers must be named one by one.

use std::fmt::Write;
use std::sync::OnceLock;

use super::Element;

/// The GEMM source preceded by the instruction. It is generated once and kept for the lifetime of the
/// program, because [`Kernel`](crate::Kernel) takes static text.
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

/// `wgmma`: multiplies 64 rows by 256 columns over 16 values of K and adds to the accumulators.
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
