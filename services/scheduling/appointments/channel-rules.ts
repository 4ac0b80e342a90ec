// Through which door a change comes: the desk, or the patient through the chat channel.

/** Whether the bot acts for a patient. */
export const isChat = ({ kind, id }: { kind: string; id: string }) => kind === 'service' && id === 'messaging';
