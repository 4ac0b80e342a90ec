// A pool that opens a further connection only when something has waited a moment for those in use. What begins at the same instant, as the loops
// of a service do, then shares a few: each connection takes PostgreSQL memory and as much time as hundreds of statements, and plans each of them again.
import pg from 'pg';

/** After this time with something that waits, one more connection is opened. */
const WAIT_MS = 100;

type Callback = Parameters<pg.Pool['connect']>[0];

export class SparingPool extends pg.Pool {
  /** How many it may open at most. `options.max` is how many it may open now. */
  readonly most: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: pg.PoolConfig & { max: number }) {
    super({ ...config, max: 1 });
    this.most = config.max;
    this.on('remove', () => {
      this.options.max = Math.max(1, this.totalCount);
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    const connected = callback ? super.connect(callback) : super.connect();
    if (this.waitingCount > 0 && this.options.max < this.most) this.#timer ??= setTimeout(() => this.#grow(), WAIT_MS);
    return connected;
  }

  #grow(): void {
    this.#timer = undefined;
    if (this.waitingCount === 0 || this.ending) return;
    this.options.max++;
    // Released at once, to what waits.
    this.connect().then(
      (client) => client.release(),
      () => {},
    );
  }
}
