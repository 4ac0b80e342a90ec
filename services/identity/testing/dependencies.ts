// Fakes of the services that identity calls. They return the responses that a test puts into `answers`, and record what they are sent in `calls`.
import type { DescService } from '@bufbuild/protobuf';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { type Call, type Handlers, implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { AuditService } from '@clinic/proto/common/v1/audit_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { Transport } from '@connectrpc/connect';

type RecordedCall = { rpc: string; request: Record<string, unknown>; call: Call };

export function fakeDependencies() {
  const calls: RecordedCall[] = [];
  /** By service and method, for example `messaging.getChannelSettings`. Methods without an entry return an empty message. */
  const answers: Record<string, (request: never, call: Call) => unknown> = {};

  function serve(service: string, contracts: DescService[]): Transport {
    return localTransport(
      contracts.map((contract) => {
        const handlers = contract.methods.map(({ localName }) => [
          localName,
          async (_app: unknown, request: never, call: Call) => {
            const rpc = `${service}.${localName}`;
            calls.push({ rpc, request, call });
            return answers[rpc]?.(request, call) ?? {};
          },
        ]);
        return implement({ log: createLog(service, 'silent'), constraints: {} }, contract, Object.fromEntries(handlers) as Handlers<unknown, DescService>);
      }),
    );
  }
  const transports = {
    messaging: serve('messaging', [ChannelService, MailService, AuditService]),
    scheduling: serve('scheduling', [DoctorService, PatientFileService, AuditService]),
    billing: serve('billing', [AuditService]),
    dental: serve('dental', [AuditService]),
  };
  /** A transport to a fake platform with an empty audit log. */
  const withAudit = (transport: Transport): Transport => {
    const audit = serve('platform', [AuditService]);
    return { stream: transport.stream, unary: (method, ...rest) => (method.parent === AuditService ? audit : transport).unary(method, ...rest) };
  };
  return { calls, answers, transports, withAudit };
}
