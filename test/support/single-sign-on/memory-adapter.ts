import type { Adapter, AdapterPayload } from 'oidc-provider'

/** The provider's storage, in the memory of one test: what the package's own would be, without its warning. */
export function createMemoryAdapter(): (model: string) => Adapter {
  const rows = new Map<string, AdapterPayload>()
  const uids = new Map<string, string>()
  return (model) => {
    const keyOf = (id: string) => `${model} ${id}`
    return {
      async upsert(id, payload) {
        rows.set(keyOf(id), payload)
        if (payload.uid !== undefined) uids.set(payload.uid, id)
      },
      find: async (id) => rows.get(keyOf(id)),
      findByUid: async (uid) => rows.get(keyOf(uids.get(uid) ?? '')),
      findByUserCode: async () => undefined,
      async consume(id) {
        const row = rows.get(keyOf(id))
        if (row !== undefined) rows.set(keyOf(id), { ...row, consumed: 1 })
      },
      async destroy(id) {
        rows.delete(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [key, { grantId: own }] of rows) if (own === grantId) rows.delete(key)
      },
    }
  }
}
