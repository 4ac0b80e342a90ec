// The seam to the bot: what it answers to one message of a patient. Without one it says nothing, and people answer.
import type { TenantTx } from '@clinic/lib/db.ts';
import type { App } from '../app.ts';
import type { Clinic } from '../clinics.ts';
import type { Outgoing } from '../rules/outgoing.ts';
import type { ConversationRow } from '../sql/conversations.ts';
import type { MessageRow } from '../sql/messages.ts';

/** A message whose turn has come, in a conversation that the bot has. */
export type Turn = { clinic: Clinic; conversation: ConversationRow; message: MessageRow };

/** One bubble at most; handOver asks for a person. */
export type Answer = { content?: Outgoing; handOver?: true };

/**
 * Called once for each message, in order, inside the transaction that marks the message as handled: what it writes through
 * `tx` and its answer exist together or not at all. When it throws, the turn comes again. Calls to neighbours go by
 * `app.clinics.acting(clinic.id, key)` and must bear repetition.
 */
export type Respond = (app: App, tx: TenantTx, turn: Turn) => Promise<Answer | undefined>;

export const respond: Respond = async () => undefined;
