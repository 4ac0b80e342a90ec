import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { ascii } from './schemas.ts';

const { method } = ChannelService;

export const chat = area({
  prefix: '/api/chat',
  tag: 'Chat channel',
  about: 'Connects the phone number that patients write to: request a one-time code, verify it, get the status, disconnect.',
  all: { scope: 'none' },
  routes: [
    {
      method: 'post',
      path: '/api/chat/start',
      rpc: method.startChannel,
      summary: 'Start connecting a chat number',
      body: {
        phone: z.string().regex(/^\+[1-9]\d{6,14}$/, 'must be E.164, for example +50371234567'),
        otpMethod: z.enum(['sms', 'voice']),
        wabaId: ascii(64),
        accessToken: ascii(1000),
      },
      errors: ['CHAT_PROVIDER_ERROR'],
      example: { phone: '+50371234567', otpMethod: 'sms', wabaId: '102290129340398', accessToken: 'EAAGm0PX4ZCpsBA' },
    },
    {
      method: 'post',
      path: '/api/chat/verify-otp',
      rpc: method.verifyChannelOtp,
      body: {
        code: z
          .string()
          .trim()
          .regex(/^\d{6}$/, 'must be 6 digits'),
      },
      errors: ['INVALID_OTP', 'CHAT_NOT_STARTED', 'CHAT_PROVIDER_ERROR', 'CONFLICT'],
      example: { code: '123456' },
    },
    { method: 'get', path: '/api/chat/status', rpc: method.getChannelStatus },
    { method: 'post', path: '/api/chat/disconnect', rpc: method.disconnectChannel },
  ],
});
