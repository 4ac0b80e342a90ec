// A question and its answer, as a stream.
import type { StreamCall } from '@clinic/lib/rpc/pipeline.ts';
import type { ChatRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { talk } from '../talk.ts';

export const chat = (app: App, request: ChatRequest, call: StreamCall) => talk(app, request, call);
