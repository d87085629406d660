"""The catalog room: papers, tasks, methods, benchmarks and full texts."""
