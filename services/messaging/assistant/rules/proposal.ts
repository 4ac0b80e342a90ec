// What the assistant proposes to do. Everything that is needed to do it stands here, so that what is confirmed is what was shown.
export type Proposal = { summary: string } & (
  | { kind: 'book'; doctorId: string; date: string; time: string; patientName: string; patientPhone: string; notes?: string | undefined }
  | { kind: 'move'; appointmentId: string; doctorId?: string | undefined; date: string; time: string }
  | { kind: 'cancel'; appointmentId: string; reason?: string | undefined }
  | { kind: 'message'; phone: string; text: string }
);
