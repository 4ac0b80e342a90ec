// Starts first what takes longest because it mostly waits: for timers, restarts and clocks that are moved.
import Sequencer from '@jest/test-sequencer';

const FIRST = ['e2e/clock', 'lib/jobs/jobs.db'];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const index = FIRST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
      return index === -1 ? FIRST.length : index;
    };
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}
