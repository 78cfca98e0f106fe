//! Each stage by the clock: `make bench-rust`, with ARGS=PART for the names that have this part.

mod prepared;

use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

fn stages(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("stage");
    for name in prepared::names() {
        let stage = prepared::prepare(&name).expect("the demo corpus can be trained on");
        group.throughput(Throughput::Bytes(stage.bytes));
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || (stage.fresh)().expect("a stage can be made ready"),
                |job| job().expect("a stage can be run"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group! { name = benches; config = short(); targets = stages }
criterion_main!(benches);
