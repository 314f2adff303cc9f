//! Computes a cross-entropy loss and its gradient on a GPU:
//! `cargo run --example cross_entropy --features wgpu`.

use burn_cubecl::{CubeBackend, CubeRuntime};
use burn_tensor::{Int, Tensor, TensorData, TensorPrimitive};
use padwise_cube_kernels::{cross_entropy, reduce};

/// Returns the sum of the losses and the gradient of the logits.
fn loss_and_gradient<R: CubeRuntime>(
    device: &R::Device,
    logits: Vec<f32>,
    targets: Vec<i32>,
) -> (Vec<f32>, Vec<f32>) {
    type B<R> = CubeBackend<R, f32, i32, u32>;
    let (rows, classes) = (targets.len(), logits.len() / targets.len());
    let logits = TensorData::new(logits, [rows, classes]);
    let logits = Tensor::<B<R>, 2>::from_data(logits, device)
        .into_primitive()
        .tensor();
    let targets = TensorData::new(targets, [rows]);
    let targets = Tensor::<B<R>, 1, Int>::from_data(targets, device).into_primitive();
    let scale = Tensor::<B<R>, 1>::ones([1], device)
        .into_primitive()
        .tensor();

    let losses = cross_entropy::forward(logits.clone(), targets.clone());
    let total = reduce::sum(&losses.loss);
    let gradient = cross_entropy::backward(logits, losses.log_sum, targets, scale);

    let total = Tensor::<B<R>, 1>::from_primitive(TensorPrimitive::Float(total));
    let gradient = Tensor::<B<R>, 2>::from_primitive(TensorPrimitive::Float(gradient));
    let values = |data: TensorData| data.iter::<f32>().collect();
    (values(total.into_data()), values(gradient.into_data()))
}

#[cfg_attr(not(feature = "wgpu"), expect(dead_code))]
fn run<R: CubeRuntime>(device: &R::Device) {
    // Three rows of two classes. The last row has no label.
    let (loss, gradient) =
        loss_and_gradient::<R>(device, vec![1.0, 2.0, 0.5, 0.5, 3.0, 0.0], vec![1, 0, -1]);
    println!("loss {loss:?}, gradient {gradient:?}");
}

#[cfg(feature = "wgpu")]
fn main() {
    run::<cubecl::wgpu::WgpuRuntime>(&burn_wgpu::WgpuDevice::default());
}

#[cfg(not(feature = "wgpu"))]
fn main() {
    eprintln!("this example needs a runtime: pass --features wgpu");
}
