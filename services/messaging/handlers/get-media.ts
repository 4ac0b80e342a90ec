// A patient's picture or document, fetched from the provider with the clinic's token and looked at before it is shown.
import { isUuid, readTenant } from '@clinic/lib/db.ts';
import { fail, found } from '@clinic/lib/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetMediaRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { twice } from '../channel/provider-call.ts';
import { ChatProviderError } from '../providers/chat.ts';
import { beginsAs, MAX_MEDIA_BYTES, shownAs } from '../rules/media.ts';
import { phoneKey } from '../rules/phone-key.ts';
import { findChannelStatement } from '../sql/channels.ts';
import { findMessageStatement } from '../sql/messages.ts';
import { openOfChannel } from '../sql/sealed.ts';

export async function getMedia(app: App, request: GetMediaRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const phone = found(phoneKey(request.phone), 'Conversation');
  const [message] = isUuid(request.id) ? await readTenant(app.db, clinicId, findMessageStatement, [clinicId, phone, request.id]) : [];
  const media = found(message?.content.media, 'Media');
  const [channel] = await readTenant(app.db, clinicId, findChannelStatement, [clinicId]);
  const token = channel && openOfChannel(app.keys, clinicId, 'access_token', channel.access_token_sealed);
  if (!token) return fail('CHAT_PROVIDER_ERROR', 'No chat number is connected');
  try {
    const { url, mime_type, file_size = 0 } = await twice(() => app.chat.media(token, media.id));
    const shown = shownAs(mime_type || media.mimeType) ?? fail('CHAT_MEDIA_REFUSED');
    if (file_size > MAX_MEDIA_BYTES) fail('CHAT_MEDIA_REFUSED');
    const content = (await app.chat.download(token, url, MAX_MEDIA_BYTES)) ?? fail('CHAT_MEDIA_REFUSED');
    if (!beginsAs(shown.type, content)) fail('CHAT_MEDIA_REFUSED');
    return { content, contentType: shown.type, filename: shown.download || media.filename ? (media.filename ?? 'documento') : '', etag: message?.id ?? '' };
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    return error.http === 404 ? fail('NOT_FOUND', 'Media not found') : fail('CHAT_PROVIDER_ERROR', error.message);
  }
}
