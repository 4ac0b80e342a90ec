// Canned replies: texts that the staff of a clinic send often.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { CannedReplyService } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import type { App } from '../app.ts';
import { createCannedReply, deleteCannedReply, listCannedReplies, updateCannedReply } from './manage-canned-replies.ts';

export const cannedReplies: Module<App> = {
  rpcs: [rpcs(CannedReplyService, { listCannedReplies, createCannedReply, updateCannedReply, deleteCannedReply })],
  personal: [{ table: 'canned_replies' }],
};
