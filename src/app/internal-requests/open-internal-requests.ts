// What Headgate itself sends requests for: certifications and the playground.
import type { AnyAdminRoute } from '../../admin/admin-route.ts'
import { createPlaygroundRoutes } from '../../admin/playground/playground-routes.ts'
import type { OpenKeys } from '../open-data-folder.ts'
import { type CertificationParts, openCertifications } from './open-certifications.ts'
import { createPlaygroundSender } from './send-playground-request.ts'

export interface InternalRequests {
  readonly routes: readonly AnyAdminRoute[]
  /** Cancels what is under way in the background. Fulfilled once that is stored. */
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
