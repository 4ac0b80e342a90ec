// A pool that opens a further connection only when something has waited a moment for those in use. What begins at the same instant, as the loops
// of a service do, then shares a few: each connection takes PostgreSQL memory and as much time as hundreds of statements, and plans each of them again.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** When something has waited for so long, one more connection is opened. */
const WAIT_MS = 100;

type Callback = Parameters<pg.Pool['connect']>[0];

export class SparingPool extends pg.Pool {
  /** How many it may open at most. `options.max` is how many it may open now. */
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

  /** By one connection at a time, also when a slow server takes long to accept it. */
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
      (client) => client.release(), // to what waits
      () => {},
    );
  }
}
