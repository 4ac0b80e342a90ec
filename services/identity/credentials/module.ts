// Passwords and PINs.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { removePin, setPin } from './own-pin.ts';

export const credentials: Module<App> = {
  rpcs: [rpcs(UserService, { setPin, removePin })],
};
