// The context of the parts of the demo clinic's history.
import type { DescService } from '@bufbuild/protobuf';
import type { CallOptions, Client } from '@connectrpc/connect';
import type { Random } from '../../random.ts';

export type Demo = {
  client<S extends DescService>(service: S, of: string): Client<S>;
  /** Call options of the admin. A call that creates something passes an ASCII name for it as `creates`, so that it is created only once. */
  admin(creates?: string): CallOptions;
  /** The day on which the clinic was created, YYYY-MM-DD. */
  today: string;
  random: Random;
  /** The simulated chat provider and tax authority; undefined when they are not simulated. */
  phoneUrl: string | undefined;
  authorityUrl: string | undefined;
  /** Aborted when the product stops. */
  signal: AbortSignal;
};
export type Part = (demo: Demo) => Promise<void>;
