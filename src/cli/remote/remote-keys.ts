import { createdKeySchema, type KeyOperations, keyListSchema, keyViewSchema } from '../../admin/contract.ts'
import type { CallServer } from './call-server.ts'

export interface RemoteKeys {
  readonly operations: KeyOperations
  /** Fails where the server or the token is not what it should be. */
  probe(): Promise<void>
}

/** The operations on keys, carried out by a running server. */
export function createRemoteKeys(call: CallServer): RemoteKeys {
  const one = (reference: string): string => `/keys/${encodeURIComponent(reference)}`
  return {
    probe: async () => void (await call({ method: 'GET', path: '/keys' }, keyListSchema)),
    operations: {
      list: ({ includeRevoked }) =>
        call({ method: 'GET', path: `/keys?include_revoked=${includeRevoked}` }, keyListSchema),
      create: (input) => call({ method: 'POST', path: '/keys', body: input }, createdKeySchema),
      get: (reference) => call({ method: 'GET', path: one(reference) }, keyViewSchema),
      setDisabled: (reference, disabled) =>
        call({ method: 'PATCH', path: one(reference), body: { disabled } }, keyViewSchema),
      revoke: (reference) => call({ method: 'DELETE', path: one(reference) }, keyViewSchema),
    },
  }
}
