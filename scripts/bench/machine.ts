// The machine that figures were measured on.
import { availableParallelism, cpus, totalmem } from 'node:os';

export const machine = () => ({
  processors: availableParallelism(),
  model: cpus()[0]?.model ?? 'unknown',
  memoryMb: Math.round(totalmem() / 1024 / 1024),
  node: process.version,
});
