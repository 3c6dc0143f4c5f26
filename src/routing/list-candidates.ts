import type { Catalog } from '../catalog/catalog.ts'
import type { Candidate } from './candidate.ts'

/** All candidates of a catalog for conversations: each target with each of its channel's credentials. */
export function listCandidates({ models, findRoute }: Catalog): readonly Candidate[] {
  return models.flatMap(({ name: publicName }) =>
    (findRoute(publicName)?.targets ?? []).flatMap((target) => {
      const { credentials } = target.channel
      const each = credentials.length === 0 ? [undefined] : credentials
      return each.map(
        (credential): Candidate => ({
          target,
          credential,
          publicName,
          operation: 'conversation',
          isProbe: false,
        }),
      )
    }),
  )
}
