// A pool that opens another connection only after a caller has waited for WAIT_MS. Statements that begin at the same instant, such as those of the
// loops of a service, then share a few connections: opening one costs memory and as much time as hundreds of statements, and each plans all
// statements again.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const WAIT_MS = 100;

type Callback = Parameters<pg.Pool['connect']>[0];

export class SparingPool extends pg.Pool {
  /** The maximum number of connections. `options.max` is the number that may be open now. */
  readonly most: number;
  #growing: Promise<void> | undefined;

  constructor(config: pg.PoolConfig & { max: number }) {
    super({ ...config, max: 1 });
    this.most = config.max;
    this.on('remove', () => {
      this.options.max = Math.max(1, this.totalCount);
      this.#growWhenWaiting();
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connected = callback ? void super.connect(callback) : super.connect();
    this.#growWhenWaiting();
    return connected;
  }

  /** Adds one connection at a time, also when a slow server takes long to accept it. */
  #growWhenWaiting(): void {
    if (this.waitingCount === 0 || this.options.max >= this.most) return;
    this.#growing ??= this.#grow().finally(() => {
      this.#growing = undefined;
      this.#growWhenWaiting();
    });
  }

  async #grow(): Promise<void> {
    await sleep(WAIT_MS);
    if (this.waitingCount === 0 || this.ending) return;
    this.options.max++;
    await super.connect().then(
      (client) => client.release(), // to a caller that waits
      () => {},
    );
  }
}
