//! Code shared by the GPU backends: the CubeCL kernels and memory statistics.

use burn_cubecl::CubeRuntime;
use burn_cubecl::kernel::cast;
use burn_cubecl::kernel::matmul::{MatmulStrategy, matmul};
use burn_cubecl::tensor::CubeTensor;
use burn_tensor::backend::Backend;
use burn_tensor::{DType, Tensor, TensorPrimitive};
use padwise_cube_kernels::recurrence::{Activations, DeviceRows, GemmPrecision};
use padwise_model_config::{BackendChoice, Precision, TrainerConfig};

use crate::batch::BatchLayout;
use crate::error::ModelError;
use crate::kernels::KernelBackend;
use crate::kernels::gemm::{Bound, Operand};
use crate::kernels::recurrence::Unrolled;
use crate::training::{BackendTrainer, Description, Memory, Trainer};

/// Creates a trainer on a CubeCL runtime.
pub(super) fn trainer<R, B>(
    config: TrainerConfig,
    backend: BackendChoice,
    device: R::Device,
    device_name: String,
    f32_means: &'static str,
    recurrence: String,
) -> Result<Box<dyn Trainer>, ModelError>
where
    R: CubeRuntime,
    B: KernelBackend<Device = R::Device>,
{
    if config.precision == Precision::Bf16 && !B::supports_dtype(&device, DType::BF16) {
        return Err(ModelError::Precision {
            precision: config.precision,
            device: format!("{backend} ({device_name})"),
            reason: "the device does not support bf16; remove the precision setting".into(),
        });
    }
    let description = Description {
        backend,
        device: device_name,
        recurrence,
        precision: match config.precision {
            Precision::F32 => f32_means,
            Precision::Bf16 => "bf16 GEMMs, f32 sums",
            Precision::StrictF32 => "f32",
        }
        .into(),
        parameters: config.model.parameter_count(),
    };
    Ok(Box::new(BackendTrainer::<B>::new(
        config,
        description,
        device,
        memory::<R>,
    )?))
}

/// The allocator's statistics.
fn memory<R: CubeRuntime>(device: &R::Device) -> Option<Memory> {
    let usage = R::client(device).memory_usage().ok()?;
    Some(Memory {
        in_use: usage.bytes_in_use,
        reserved: usage.bytes_reserved,
        peak: None,
    })
}

/// Multiplies two matrices, with the operands rounded to bf16 if requested.
pub(super) fn multiply<R: CubeRuntime>(
    lhs: CubeTensor<R>,
    rhs: CubeTensor<R>,
    precision: Precision,
) -> CubeTensor<R> {
    let (lhs, rhs) = match precision {
        Precision::F32 | Precision::StrictF32 => (lhs, rhs),
        Precision::Bf16 => (cast(lhs, DType::BF16), cast(rhs, DType::BF16)),
    };
    match matmul(lhs, rhs, None, MatmulStrategy::default(), DType::F32) {
        Ok(found) => found,
        // The simplest kernel is tried last and accepts every shape, so an error means a bug in our shapes.
        Err(error) => panic!("matrix multiplication failed: {error:?}"),
    }
}

/// The precision of the recurrence's GEMMs.
pub(super) fn recurrent(precision: Precision) -> GemmPrecision {
    match precision {
        Precision::F32 | Precision::StrictF32 => GemmPrecision::F32,
        Precision::Bf16 => GemmPrecision::Bf16,
    }
}

/// The rows of a batch, for the recurrence.
pub(super) fn device_rows<R, B>(layout: &BatchLayout<B>) -> DeviceRows<'_, R>
where
    R: CubeRuntime,
    B: Backend<IntTensorPrimitive = CubeTensor<R>>,
{
    DeviceRows {
        rows: layout.host(),
        numbers: layout.numbers().into_primitive(),
    }
}

/// Converts the results of a recurrence to burn's tensors.
pub(super) fn unrolled<R, B>(found: Activations<R>) -> Unrolled<B>
where
    R: CubeRuntime,
    B: KernelBackend<FloatTensorPrimitive = CubeTensor<R>>,
{
    let tensor = |primitive| Tensor::from_primitive(TensorPrimitive::Float(primitive));
    Unrolled {
        output: Operand::Matrix(tensor(found.output), Bound::Within(1.0)),
        gates: tensor(found.gates),
        cells: tensor(found.cells),
    }
}

/// Implements the model's kernels for a CubeCL backend. The kernels are generic over the runtime, but burn's
/// backend types do not allow one generic implementation, hence a macro.
macro_rules! kernel_backend {
    ($backend:ty, $runtime:ty $(, $own:item)*) => {
        const _: () = {
            use burn_tensor::{Int, Tensor, TensorPrimitive};
            use padwise_cube_kernels::{cross_entropy, ctc, dropout, optimiser, recurrence, reduce};
            use padwise_cube_kernels::recurrence::{LaunchEach, StepLauncher};
            use padwise_model_config::Precision;

            use crate::backend::cube;
            use crate::kernels::dropout::Dropout;
            use crate::kernels::gemm::{Bound, MatrixView, PlainFactor, RowGradients};
            use crate::kernels::loss::{CtcTargets, FrameScores, FrameTargets, SequenceScores};
            use crate::kernels::optimiser::{Moments, UpdateRule};
            use crate::kernels::recurrence::{
                BackwardInput, ForwardInput, LayerOptions, Unrolled,
            };
            use crate::error::ModelError;
            use crate::kernels::KernelBackend;

            type Primitive =
                <$backend as burn_tensor::backend::BackendTypes>::FloatTensorPrimitive;

            fn primitive<const D: usize>(tensor: Tensor<$backend, D>) -> Primitive {
                tensor.into_primitive().tensor()
            }

            fn tensor<const D: usize>(primitive: Primitive) -> Tensor<$backend, D> {
                Tensor::from_primitive(TensorPrimitive::Float(primitive))
            }

            /// One kernel launch per time step.
            fn fused_forward(
                input: ForwardInput<'_, $backend>,
                options: LayerOptions,
                launcher: &impl StepLauncher<$runtime>,
            ) -> Unrolled<$backend> {
                let bias = input.bias();
                cube::unrolled(recurrence::forward(
                    primitive(input.projections),
                    primitive(bias),
                    primitive(input.weight_hh),
                    cube::device_rows(input.layout),
                    cube::recurrent(options.precision),
                    launcher,
                ))
            }

            /// One kernel launch per time step.
            fn fused_backward(
                input: BackwardInput<'_, $backend>,
                options: LayerOptions,
                launcher: &impl StepLauncher<$runtime>,
            ) -> RowGradients<$backend> {
                let gradients = tensor(recurrence::backward(
                    primitive(input.grad_output.values),
                    primitive(input.gates),
                    primitive(input.cells),
                    primitive(input.weight_hh),
                    cube::device_rows(input.layout),
                    cube::recurrent(options.precision),
                    launcher,
                ));
                RowGradients::new(gradients, Bound::Unknown)
            }

            /// burn's matrix multiplication.
            fn plain_product(
                lhs: MatrixView<'_, PlainFactor<$backend>>,
                rhs: MatrixView<'_, PlainFactor<$backend>>,
            ) -> Tensor<$backend, 2> {
                let precision = lhs.factor.precision;
                let (lhs, rhs) = (PlainFactor::tensor(lhs), PlainFactor::tensor(rhs));
                tensor(cube::multiply(primitive(lhs), primitive(rhs), precision))
            }

            impl KernelBackend for $backend {
                $($own)*

                fn frame_scores(
                    logits: Tensor<Self, 2>,
                    targets: &FrameTargets<Self>,
                ) -> FrameScores<Self> {
                    let found =
                        cross_entropy::forward(primitive(logits), targets.device().into_primitive());
                    FrameScores {
                        loss_sum: tensor(reduce::sum(&found.loss)),
                        wrong: tensor(reduce::sum(&found.wrong)),
                        log_sums: tensor(found.log_sum),
                    }
                }

                fn frame_gradient(
                    logits: Tensor<Self, 2>,
                    log_sums: Tensor<Self, 1>,
                    targets: &FrameTargets<Self>,
                    scale: Tensor<Self, 1>,
                ) -> Tensor<Self, 2> {
                    tensor(cross_entropy::backward(
                        primitive(logits),
                        primitive(log_sums),
                        targets.device().into_primitive(),
                        primitive(scale),
                    ))
                }

                fn sequence_scores(
                    scores: Tensor<Self, 2>,
                    targets: &CtcTargets,
                    scale: f64,
                ) -> Result<SequenceScores<Self>, ModelError> {
                    let device = scores.device();
                    let scores = primitive(scores);
                    let fits = |layout: &_| ctc::fits(layout, &scores);
                    let Some(mut layout) = targets.layout()?.filter(fits) else {
                        return SequenceScores::on_host(tensor(scores), targets, scale);
                    };
                    let numbers = std::mem::take(&mut layout.numbers);
                    let count = numbers.len();
                    let numbers = Self::upload_integers(numbers, [count], &device);
                    let mask = targets.mask();
                    let rows = mask.len();
                    let mask = Self::upload_integers(mask, [rows], &device);
                    let rows = cross_entropy::forward(
                        scores.clone(),
                        Tensor::<Self, 1, Int>::into_primitive(mask),
                    );
                    // SAFETY: these are the numbers that were taken from this layout.
                    #[allow(unsafe_code, reason = "the kernels trust the layout's numbers")]
                    let found = unsafe {
                        ctc::align(
                            scores,
                            Tensor::<Self, 1, Int>::into_primitive(numbers),
                            &rows,
                            &layout,
                            scale as f32,
                        )
                    };
                    Ok(SequenceScores {
                        loss_sum: tensor(reduce::sum(&found.losses)),
                        gradient: tensor(found.gradient),
                        tables: Some(tensor(found.tables)),
                    })
                }

                fn drop_out(
                    values: Tensor<Self, 2>,
                    places: Option<Tensor<Self, 1, Int>>,
                    dropout: Dropout,
                ) -> Tensor<Self, 2> {
                    let mask = dropout::Mask {
                        key: dropout.halves(),
                        threshold: dropout.threshold(),
                        scale: dropout.scale() as f32,
                    };
                    let places = places.map(Tensor::into_primitive);
                    tensor(dropout::apply(primitive(values), places, mask))
                }

                fn clip_global_norm(gradients: Tensor<Self, 1>, most: f64) -> Tensor<Self, 1> {
                    tensor(optimiser::clip_global_norm(primitive(gradients), most))
                }

                fn update(
                    rule: UpdateRule,
                    clip: Option<f64>,
                    parameters: Tensor<Self, 1>,
                    gradients: Tensor<Self, 1>,
                    moments: Moments<Self>,
                ) -> (Tensor<Self, 1>, Moments<Self>) {
                    let state = [parameters, moments.first, moments.second].map(primitive);
                    let state = optimiser::update(rule, clip, primitive(gradients), state);
                    let [parameters, first, second] = state.map(tensor);
                    (parameters, Moments { first, second })
                }
            }
        };
    };
}

pub(super) use kernel_backend;
