//! Losses of training steps that the host has not read yet.

use burn_tensor::Tensor;

use super::loss::DeviceLoss;
use crate::kernels::KernelBackend;

/// So many losses are joined in one buffer. A GPU's allocator searches all buffers in use, so it should not have one for every step
/// of an epoch.
const JOINED: usize = 64;

/// The losses since they were last taken, on the device: sums of losses and numbers of wrong frames, in pairs.
pub(super) struct PendingLosses<B: KernelBackend> {
    joined: Vec<Tensor<B, 1>>,
    latest: Vec<Tensor<B, 1>>,
    /// Labelled frames or utterances of each step.
    counted: Vec<u64>,
}

impl<B: KernelBackend> Default for PendingLosses<B> {
    fn default() -> Self {
        Self {
            joined: Vec::new(),
            latest: Vec::new(),
            counted: Vec::new(),
        }
    }
}

impl<B: KernelBackend> PendingLosses<B> {
    /// Adds the loss of a step.
    pub fn push(&mut self, loss: DeviceLoss<B>) {
        self.counted.push(loss.counted);
        self.latest.push(loss.values);
        if self.latest.len() == JOINED {
            let latest = std::mem::take(&mut self.latest);
            self.joined.push(Tensor::cat(latest, 0));
        }
    }

    /// All losses in the order of the steps, if there are any, and what each is a sum of.
    pub fn take(&mut self) -> Option<(Tensor<B, 1>, Vec<u64>)> {
        let Self {
            mut joined,
            latest,
            counted,
        } = std::mem::take(self);
        joined.extend(latest);
        (!joined.is_empty()).then(|| (Tensor::cat(joined, 0), counted))
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use burn_flex::Flex;

    use super::*;

    #[test]
    fn losses_keep_their_order() {
        let mut pending = PendingLosses::<Flex>::default();
        let steps = 2 * JOINED + 3;
        for step in 0..steps {
            let values = Tensor::from_floats([step as f32, -1.0], &Default::default());
            let counted = step as u64;
            pending.push(DeviceLoss { values, counted });
        }
        let (values, counted) = pending.take().expect("losses");
        assert!(counted.into_iter().eq(0..steps as u64));
        let values = values.into_data().to_vec::<f32>().expect("f32");
        let expected = (0..steps).flat_map(|step| [step as f32, -1.0]);
        assert!(values.into_iter().eq(expected));
        assert!(pending.take().is_none());
    }
}
