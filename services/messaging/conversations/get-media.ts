// Streams a patient's picture, recording or document from the provider. Type, size and first bytes are checked before anything is sent, and the
// length while it is sent.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { withExtension } from '@clinic/lib/formats/file-name.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { clinicOf, type StreamCall } from '@clinic/lib/rpc/pipeline.ts';
import type { GetMediaRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { decryptChannelSecret } from '../channel/channel-secrets.ts';
import { findChannelOf } from '../channel/channels.sql.ts';
import { ChatProviderError, retryOnce } from '../channel/chat-provider.ts';
import { toConversationKey } from './conversation-key-rules.ts';
import { findMediaRule, hasSignature } from './media-rules.ts';
import { findMessage } from './messages.sql.ts';

export async function* getMedia(app: App, request: GetMediaRequest, call: StreamCall) {
  const { id: clinicId } = clinicOf(call);
  const phone = found(toConversationKey(request.phone), 'Conversation');
  const message = isUuid(request.id) ? await findMessage(app.db, clinicId, phone, request.id) : undefined;
  const media = found(message?.content.media, 'Media');
  const channel = await findChannelOf(app.db, clinicId);
  const token = decryptChannelSecret(app.keys, channel, 'access_token');
  if (!token) fail('CHAT_PROVIDER_ERROR', 'No chat number is connected');
  try {
    const { url, mime_type, file_size = 0 } = await retryOnce(() => app.chat.media(token, media.id));
    const rule = findMediaRule(mime_type || media.mimeType) ?? fail('CHAT_MEDIA_REFUSED');
    if (file_size > rule.maxBytes) fail('CHAT_MEDIA_REFUSED');
    const { size, chunks } = await app.chat.download(token, url, call.signal);
    if (size > rule.maxBytes) fail('CHAT_MEDIA_REFUSED');
    const filename = rule.download || media.filename ? withExtension(media.filename ?? 'documento', rule.extensions) : '';
    const head = { contentType: rule.type, filename, etag: message?.id ?? '', size: BigInt(size) };
    let sent = 0;
    for await (const content of chunks) {
      if (sent === 0 && !hasSignature(rule.type, content)) fail('CHAT_MEDIA_REFUSED');
      const isFirst = sent === 0;
      sent += content.length;
      if (sent > rule.maxBytes) fail('CHAT_MEDIA_REFUSED');
      yield { ...(isFirst && { head }), content };
    }
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    error.http === 404 ? fail('NOT_FOUND', 'Media not found') : fail('CHAT_PROVIDER_ERROR', error.message);
  }
}
