// The users of a clinic.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { createUser } from './create-user.ts';
import { getPhoto } from './get-photo.ts';
import { listUsers } from './list-users.ts';
import { removePhoto } from './remove-photo.ts';
import { setPhoto } from './set-photo.ts';
import { updateUser } from './update-user.ts';
import { updateUserRole } from './update-user-role.ts';

export const users: Module<App> = {
  rpcs: [rpcs(UserService, { listUsers, createUser, updateUser, updateUserRole, setPhoto, removePhoto, getPhoto })],
  personal: [{ table: 'users', whole: true }],
};
