// A progress bar on stderr; if that is not a terminal, a line at each tenth.

export type Progress = { to(done: number): void; end(): void };

const WIDTH = 30;

export function progress(label: string, total: number): Progress {
  const { isTTY } = process.stderr;
  const started = performance.now();
  let shown = -1;
  const draw = (done: number) => {
    const share = Math.min(1, done / total);
    const step = Math.floor(share * (isTTY ? 100 : 10));
    if (step === shown) return;
    shown = step;
    const filled = Math.round(share * WIDTH);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    const line = `${label.padEnd(28)} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${String(Math.floor(share * 100)).padStart(3)} % ${seconds} s`;
    process.stderr.write(isTTY ? `\r${line}` : `${line}\n`);
  };
  draw(0);
  return {
    to: draw,
    end() {
      draw(total);
      if (isTTY) process.stderr.write('\n');
    },
  };
}
