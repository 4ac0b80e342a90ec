// The text of a message as a caller may see it.
import { removeLinkTokens } from '@clinic/lib/crypto/link-token.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';

/** An integration key gets no tokens of links, with which it could act as the patient beyond its scopes: sign a form, or cancel an appointment. */
export const shownText = <Text extends string | null | undefined>({ caller }: Pick<Call, 'caller'>, text: Text) =>
  caller.kind === 'integration_key' && text ? removeLinkTokens(text) : text;
