// Messages that are written at the moment of sending, because what they say may have changed since they were asked for.
import type { App } from '../app.ts';
import type { OutboundRow } from './outbound.sql.ts';
import type { Outgoing } from './outgoing-rules.ts';

/** What to send to whom, or a word on why nothing is to be sent any more. Throws to be asked again later. */
export type Prepare = (app: App, outbound: OutboundRow) => Promise<{ phone: string; content: Outgoing; outsideWindow?: Outgoing } | { drop: string }>;
