import { z } from 'zod'
import { receiverListSchema } from '../../../../src/admin/alerts/alert-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { ObjectChange } from '../../changes/open-draft.ts'

/** These routes only set an entry, so that the form refuses a name in use. */
const methods = { create: 'PUT', replace: 'PUT', patch: 'PATCH', remove: 'DELETE' } as const

/** The common part of the responses about rules and receivers. */
const changedSchema = z.object({ config_version: receiverListSchema.shape.config_version })

interface ChangedPart {
  readonly path: 'rules' | 'receivers'
}

/** Changes a rule or a receiver at once. Resolves with the version that the change makes. */
export async function changeAlertPart(
  { path }: ChangedPart,
  change: ObjectChange,
  ifMatch?: string,
): Promise<number> {
  const { config_version: version } = await callApi({
    method: methods[change.change],
    path: `/alerts/${path}/${encodeURIComponent(change.name)}`,
    ifMatch,
    ...(change.change !== 'remove' && { body: change.object ?? {} }),
    answer: changedSchema,
  })
  return version
}
