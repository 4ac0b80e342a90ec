// A proposal as the person sees it.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { AssistantActionSchema } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { Proposal } from './rules/proposal.ts';
import { type ActionRow, openPayload } from './sql/assistant-actions.sql.ts';

export const proposalOf = (keys: NamedKey[], action: Pick<ActionRow, 'id' | 'payload_sealed'>) => JSON.parse(openPayload(keys, action)) as Proposal;

export function shownAction(keys: NamedKey[], action: ActionRow, now: Date): MessageInitShape<typeof AssistantActionSchema> {
  const isOver = action.status === 'proposed' && action.expires_at <= now;
  return {
    id: action.id,
    kind: action.kind,
    summary: proposalOf(keys, action).summary,
    status: isOver ? 'expired' : action.status,
    failure: action.failure ?? undefined,
    resultId: action.result_id ?? undefined,
    createdAt: timestampFromDate(action.created_at),
    expiresAt: timestampFromDate(action.expires_at),
  };
}
