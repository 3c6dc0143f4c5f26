// The features for which Headgate itself sends requests: certifications and the playground.
import { describeInternalCaller } from '../../access/internal-caller.ts'
import type { AnyAdminRoute } from '../../admin/admin-route.ts'
import { createPlaygroundRoutes } from '../../admin/playground/playground-routes.ts'
import type { SendPlaygroundRequest } from '../../admin/playground/send-request.ts'
import { callerFormats } from '../formats.ts'
import type { OpenKeys } from '../open-data-folder.ts'
import { type CertificationParts, openCertifications } from './open-certifications.ts'
import { type InternalSender, sendInternally } from './send-internally.ts'
import { StreamingSink } from './streaming-sink.ts'

export interface InternalRequests {
  readonly routes: readonly AnyAdminRoute[]
  /** Cancels background work in progress. Fulfilled when that is stored. */
  close(): Promise<void>
}

export interface InternalRequestParts extends CertificationParts {
  readonly keys: Pick<OpenKeys, 'certifications' | 'audit' | 'registry'>
}

export function openInternalRequests(
  parts: InternalRequestParts,
  cleanup: AsyncDisposableStack,
): InternalRequests {
  const { pipeline, keys, gate, clock } = parts
  const certifications = openCertifications(parts, cleanup)
  const playground = createPlaygroundRoutes({
    send: createPlaygroundSender({ serve: pipeline.serve, gate, clock }),
    groups: () => keys.registry.groups(),
  })
  return { routes: [...certifications.routes, ...playground], close: certifications.close }
}

/** Fills the port of the playground: a chat completion goes through the pipeline like a caller's. */
function createPlaygroundSender(sender: InternalSender): SendPlaygroundRequest {
  return async ({ body, channel, user, group, permission, address, signal }) => {
    const sink = new StreamingSink(signal)
    const sending = sendInternally(
      {
        caller: describeInternalCaller({ purpose: 'playground', user, group, permission }),
        body,
        address,
        path: '/admin/v1/playground/completions',
        format: callerFormats.chat,
        headers: { 'x-headgate-usage': 'cost' },
        pin: channel === undefined ? undefined : { channel, upstreamModel: undefined, isTrial: false },
      },
      sink,
      sender,
    )
    sending.catch((error: unknown) => sink.fail(error))
    const { status, headers } = await sink.head
    return { status, headers, bytes: sink }
  }
}
